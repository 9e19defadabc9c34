package io.firn.spark;

import io.firn.FirnException;
import io.firn.block.BlockName;
import io.firn.block.IdBlock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.apache.spark.Dependency;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * IDs that belong to rows: the ID of a row is the one in the block of its job at the row's place
 * among all rows.
 *
 * <p>Why no row gets a second ID, and no ID a second row: the block has the name of the job, and
 * the job is bound to a digest of all rows in their order, so a job that runs again gets the same
 * block for the same rows, and is refused for others. Within one run the plan is fixed, and each
 * task reads a chunk of rows ahead and compares all rows up to its end with the digest of its
 * partition, before it gives the first of them. So no row has a wrong ID, also if the task is not
 * read to its end, as by a limit. A task with other rows fails; therefore inputs whose order Spark
 * does not promise are refused before anything runs.
 */
final class StableRows implements Function2<Integer, Iterator<InternalRow>, Iterator<InternalRow>> {

  private static final long serialVersionUID = 1L;

  private static final String REMEDY =
      "sort it by a unique key, checkpoint() it, or write it to files and stamp what is read from"
          + " them";

  /** Operators that keep the order of a sort below them. */
  private static final Set<String> KEEP_ORDER =
      Set.of("Project", "Filter", "SubqueryAlias", "View", "GlobalLimit", "LocalLimit");

  private final String job;
  private final StructType schema;
  private final @Nullable IdBlock block;
  private final PartitionDigest[] partitions;
  private final long[] starts;

  private StableRows(
      String job, StructType schema, @Nullable IdBlock block, List<PartitionDigest> partitions) {
    this.job = job;
    this.schema = schema;
    this.block = block;
    this.partitions = partitions.toArray(PartitionDigest[]::new);
    starts = new long[this.partitions.length];
    for (int i = 1; i < starts.length; i++) {
      starts[i] = starts[i - 1] + this.partitions[i - 1].rows().count();
    }
  }

  static Dataset<Row> stamp(Dataset<?> dataset, String column, String namespace, String job) {
    SparkSession session = dataset.sparkSession();
    PageSource source = PageService.source(session, namespace);
    RDD<InternalRow> rows = reproducible(dataset);
    StructType schema = dataset.schema();
    List<PartitionDigest> partitions = digests(session.sparkContext(), rows, schema, job);
    RowDigest all =
        partitions.stream().map(PartitionDigest::rows).reduce(RowDigest.NONE, RowDigest::then);
    IdBlock block =
        all.count() == 0 ? null : source.named(new BlockName(job, all.shape(), 0, 0), all.count());
    return Internals.dataFrame(
        session,
        rows.toJavaRDD()
            .mapPartitionsWithIndex(new StableRows(job, schema, block, partitions), true)
            .rdd(),
        schema.add(column, DataTypes.LongType, false));
  }

  /**
   * Returns the rows, with a plan that is fixed from now on.
   *
   * @throws IllegalArgumentException if Spark does not promise them the same order each time
   */
  private static RDD<InternalRow> reproducible(Dataset<?> dataset) {
    if (dataset.isStreaming()) {
      throw refused("it is a stream", "stamp the batches, in foreachBatch");
    }
    QueryExecution query = Internals.queryExecution(dataset);
    if (!query.analyzed().deterministic()) {
      throw refused(
          "it uses a function that is not deterministic, as rand, uuid or firn_id",
          "write it to files and stamp what is read from them");
    }
    RDD<InternalRow> rows = query.toRdd();
    if (!isShuffled(rows) || isSorted(query.analyzed())) {
      return rows;
    }
    throw refused("a shuffle gives its rows in another order each time", REMEDY);
  }

  private static IllegalArgumentException refused(String why, String remedy) {
    return new IllegalArgumentException(
        "dataset: " + why + " (expected: rows in a reproducible order; " + remedy + ")");
  }

  /** Spark's own answer is computed when a job begins, so that of a new checkpoint is too old. */
  private static boolean isShuffled(RDD<?> rows) {
    Set<Integer> seen = new HashSet<>();
    Deque<RDD<?>> open = new ArrayDeque<>(List.of(rows));
    while (!open.isEmpty()) {
      RDD<?> rdd = open.pop();
      if (!seen.add(rdd.id()) || rdd.isCheckpointed()) {
        continue;
      }
      for (Dependency<?> dependency : CollectionConverters.asJava(rdd.dependencies())) {
        if (dependency instanceof ShuffleDependency) {
          return true;
        }
        open.push(dependency.rdd());
      }
    }
    return false;
  }

  private static boolean isSorted(LogicalPlan plan) {
    LogicalPlan node = plan;
    while (KEEP_ORDER.contains(node.nodeName()) && node.children().size() == 1) {
      node = node.children().head();
    }
    return node instanceof Sort;
  }

  private static List<PartitionDigest> digests(
      SparkContext context, RDD<InternalRow> rows, StructType schema, String job) {
    String before = context.getLocalProperty("spark.job.description");
    context.setJobDescription("Firn reads the rows of job " + job + ", to reserve their IDs");
    try {
      return rows
          .toJavaRDD()
          .mapPartitions(partition -> List.of(digest(partition, schema).numbers()).iterator())
          .collect()
          .stream()
          .map(PartitionDigest::of)
          .toList();
    } finally {
      context.setJobDescription(before);
    }
  }

  private static PartitionDigest digest(Iterator<InternalRow> rows, StructType schema) {
    RowBytes bytes = new RowBytes(schema);
    PartitionDigest.Builder digest = new PartitionDigest.Builder();
    while (rows.hasNext()) {
      if (digest.add(bytes.of(rows.next()))) {
        digest.endChunk();
      }
    }
    return digest.build();
  }

  @Override
  public Iterator<InternalRow> call(Integer partition, Iterator<InternalRow> rows) {
    PartitionDigest expected = partitions[partition];
    RowBytes bytes = new RowBytes(schema);
    return new Iterator<>() {
      private final GenericInternalRow id = new GenericInternalRow(1);
      private final JoinedRow joined = new JoinedRow();
      private final PartitionDigest.Builder digest = new PartitionDigest.Builder();
      private final List<UnsafeRow> chunk = new ArrayList<>();
      private int chunks;
      private int next;
      private long index = starts[partition];

      @Override
      public boolean hasNext() {
        return next < chunk.size() || read();
      }

      /** Reads a chunk ahead: a row has its ID only once those up to the end of it are known. */
      private boolean read() {
        chunk.clear();
        next = 0;
        boolean ends = false;
        while (!ends && rows.hasNext()) {
          UnsafeRow row = bytes.of(rows.next()).copy();
          ends = digest.add(row);
          chunk.add(row);
        }
        digest.endChunk();
        if (chunk.isEmpty()
            ? chunks != expected.chunks()
            : chunks == expected.chunks() || digest.hash() != expected.hash(chunks++)) {
          throw changed(partition);
        }
        return !chunk.isEmpty();
      }

      @Override
      public InternalRow next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        id.setLong(0, idAt(index++));
        return joined.apply(chunk.get(next++), id);
      }
    };
  }

  private long idAt(long index) {
    if (block == null) {
      throw new IllegalStateException(
          "Job "
              + job
              + " had no rows when its IDs were reserved, and has some now. The dataset is not"
              + " reproducible: "
              + REMEDY
              + ".");
    }
    return block.get(index);
  }

  private FirnException changed(int partition) {
    return new FirnException(
        "Partition "
            + partition
            + " of job "
            + job
            + " has other rows, or the same in another order, than when its IDs were reserved; none"
            + " of them was given an ID. The dataset is not reproducible: "
            + REMEDY
            + ".");
  }
}
