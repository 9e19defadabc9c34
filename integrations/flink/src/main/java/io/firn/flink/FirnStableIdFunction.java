package io.firn.flink;

import io.firn.block.IdBlocks;
import io.firn.block.PlacedIds;
import io.firn.block.PlacedIds.Place;
import io.firn.store.RegisterStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ScalarFunction;
import org.jspecify.annotations.Nullable;

/** {@code firn_stable_id(namespace, job, part, partition, index)}: the ID of a row's place. */
public final class FirnStableIdFunction extends ScalarFunction {

  private static final long serialVersionUID = 1L;

  private final String address;
  private final long blockSize;
  private transient @Nullable RegisterStore store;
  private transient @Nullable Map<Job, PlacedIds> jobs;

  FirnStableIdFunction(String address, long blockSize) {
    this.address = address;
    this.blockSize = blockSize;
  }

  private record Job(String namespace, String name) {}

  @Override
  public void open(FunctionContext context) {
    store = RegisterStore.open(address);
    jobs = new HashMap<>();
  }

  /**
   * Returns the ID of a row.
   *
   * @param namespace the namespace of the ID
   * @param job the name of the job, 1..31 characters
   * @param part what the row is from, as a topic
   * @param partition its partition, as in Kafka
   * @param index its number in the partition, as the offset
   */
  public long eval(String namespace, String job, String part, Integer partition, Long index) {
    if (namespace == null || job == null || part == null || partition == null || index == null) {
      throw new IllegalArgumentException(
          "firn_stable_id: NULL among its arguments (expected: none; leave such rows out with WHERE …"
              + " IS NOT NULL, for a row without a place has no ID)");
    }
    return Objects.requireNonNull(jobs)
        .computeIfAbsent(
            new Job(namespace, job),
            key ->
                PlacedIds.of(IdBlocks.of(Objects.requireNonNull(store), namespace), job, blockSize))
        .idOf(new Place(part, partition, ""), index);
  }

  @Override
  public void close() {
    if (store != null) {
      store.close();
    }
  }
}
