package io.firn.spark;

import io.firn.IdLayout.Kind;
import io.firn.block.IdBlock;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.ObjectType;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The function that {@code firn_id('orders')} calls. Public for the code that Spark generates.
 *
 * <p>Each task has its own copy, which asks the driver for pages. On the driver threads may share
 * one: a page belongs to the thread that asked for it, and no other takes an ID out of it.
 */
public final class FreshIds implements Serializable {

  private static final long serialVersionUID = 1L;

  /** A task of few rows leaves few IDs unused, and one of many asks rarely. */
  private static final int FIRST_PAGE = 1 << 12;

  private static final int LARGEST_PAGE = 1 << 20;

  private final String namespace;
  private final int source;
  private final Tally tally;
  private transient @Nullable Page page;

  private FreshIds(String namespace, int source, Tally tally) {
    this.namespace = namespace;
    this.source = source;
    this.tally = tally;
  }

  /** IDs of one thread. */
  private static final class Page {
    private final Thread owner = Thread.currentThread();
    private final long asked;
    private final IdBlock block;
    private final long end;
    private final long step;
    private long next;
    private long id;
    private long stop;

    Page(long asked, ServedPage served) {
      this.asked = asked;
      block = served.block();
      step = 1L << block.layout().shift(Kind.SEQUENCE);
      next = served.from();
      end = served.end();
    }

    /** Begins the next IDs of one tick and worker; returns false if there are none. */
    boolean run() {
      if (next == end) {
        return false;
      }
      long sequences = 1L << block.layout().bits(Kind.SEQUENCE);
      long until = Math.min(end, (next | (sequences - 1)) + 1);
      id = block.get(next);
      if (block.get(until - 1) != id + (until - 1 - next) * step) { // the worker changes each time
        until = next + 1;
      }
      stop = id + (until - next) * step;
      next = until;
      return true;
    }
  }

  /**
   * Returns a dataset with one more column.
   *
   * @throws IllegalStateException if the session does not know the function
   */
  static Dataset<Row> stamp(Dataset<?> dataset, String column, String namespace) {
    SparkSession session = dataset.sparkSession();
    if (!session.catalog().functionExists(FirnSparkExtensions.FUNCTION)) {
      throw new IllegalStateException(
          "The session has no function "
              + FirnSparkExtensions.FUNCTION
              + "; set spark.sql.extensions="
              + FirnSparkExtensions.class.getName()
              + " before it starts.");
    }
    return dataset.withColumn(
        column, functions.call_function(FirnSparkExtensions.FUNCTION, functions.lit(namespace)));
  }

  /**
   * Returns the expression of a call. Each call has its own, so that Spark takes no two for the
   * same.
   *
   * @throws IllegalArgumentException if the argument is not one constant text
   */
  static Expression expression(Seq<Expression> arguments) {
    List<Expression> given = CollectionConverters.asJava(arguments);
    if (given.size() != 1
        || !given.get(0).foldable()
        || !given.get(0).dataType().equals(DataTypes.StringType)) {
      throw new IllegalArgumentException(
          FirnSparkExtensions.FUNCTION
              + ": "
              + given
              + " (expected: one constant text, the namespace, as in firn_id('orders'))");
    }
    String namespace = String.valueOf(given.get(0).eval(null));
    PageSource source = PageService.source(SparkSession.active(), namespace);
    FreshIds ids = new FreshIds(namespace, source.number(), source.tally());
    return new Invoke(
        Literal.fromObject(ids, new ObjectType(FreshIds.class)),
        "next",
        DataTypes.LongType,
        none(),
        none(),
        false,
        false,
        false);
  }

  private static <T> Seq<T> none() {
    return CollectionConverters.asScala(List.<T>of()).toSeq();
  }

  /** Returns an ID that no one else has. */
  public long next() {
    Page current = page;
    if (current == null || current.id == current.stop || current.owner != Thread.currentThread()) {
      current = turn(current);
    }
    long id = current.id;
    current.id = id + current.step;
    return id;
  }

  private Page turn(@Nullable Page before) {
    long asked = FIRST_PAGE;
    if (before != null && before.owner == Thread.currentThread()) {
      if (before.run()) {
        return before;
      }
      asked = Math.min(LARGEST_PAGE, 4 * before.asked);
    }
    ServedPage served = PageService.ask(source, namespace, asked);
    tally.add(served);
    Page turned = new Page(asked, served);
    boolean unused = turned.run(); // a page is never empty
    page = turned;
    return turned;
  }

  /** Returns the call, as Spark shows it. */
  @Override
  public String toString() {
    return FirnSparkExtensions.FUNCTION + "('" + namespace + "')";
  }
}
