package io.firn.flink;

import io.firn.block.IdBlocks;
import io.firn.integration.FreshBlocks;
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
  private transient @Nullable Map<String, FreshBlocks> namespaces;

  FirnIdFunction(String address, long blockSize) {
    this.address = address;
    this.blockSize = blockSize;
  }

  @Override
  public void open(FunctionContext context) {
    store = RegisterStore.open(address);
    namespaces = new HashMap<>();
  }

  /** Returns a new ID of a namespace. */
  public long eval(String namespace) {
    if (namespace == null) {
      throw new IllegalArgumentException(
          "firn_id: NULL (expected: the name of a namespace, as in firn_id('orders'))");
    }
    return Objects.requireNonNull(namespaces).computeIfAbsent(namespace, this::fresh).next();
  }

  private FreshBlocks fresh(String namespace) {
    return new FreshBlocks(IdBlocks.of(Objects.requireNonNull(store), namespace), blockSize);
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
