package io.firn.flink;

import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.store.RegisterStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ScalarFunction;
import org.jspecify.annotations.Nullable;

/** {@code firn_id(namespace)}: a new ID. */
public final class FirnIdFunction extends ScalarFunction {

  private static final long serialVersionUID = 1L;

  private final String address;
  private final long blockSize;
  private transient @Nullable RegisterStore store;
  private transient @Nullable Map<String, Source> sources;

  FirnIdFunction(String address, long blockSize) {
    this.address = address;
    this.blockSize = blockSize;
  }

  /** The IDs of a namespace. */
  private static final class Source {
    private final IdBlocks blocks;
    private @Nullable IdBlock block;
    private long used;

    Source(IdBlocks blocks) {
      this.blocks = blocks;
    }

    long next(long size) {
      if (block == null || used == size) {
        block = blocks.take(size);
        used = 0;
      }
      return block.get(used++);
    }
  }

  @Override
  public void open(FunctionContext context) {
    store = RegisterStore.open(address);
    sources = new HashMap<>();
  }

  /** Returns a new ID of a namespace. */
  public long eval(String namespace) {
    if (namespace == null) {
      throw new IllegalArgumentException(
          "firn_id: NULL (expected: the name of a namespace, as in firn_id('orders'))");
    }
    return Objects.requireNonNull(sources)
        .computeIfAbsent(
            namespace, name -> new Source(IdBlocks.of(Objects.requireNonNull(store), name)))
        .next(blockSize);
  }

  @Override
  public boolean isDeterministic() {
    return false;
  }

  @Override
  public void close() {
    if (store != null) {
      store.close();
    }
  }
}
