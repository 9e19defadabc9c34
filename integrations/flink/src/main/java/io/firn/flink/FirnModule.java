package io.firn.flink;

import io.firn.block.IdBlocks;
import io.firn.internal.Require;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.module.Module;

/**
 * Functions of SQL. {@code firn_id(namespace)} is a new ID for each row, whenever it is evaluated;
 * {@code firn_stable_id(namespace, job, part, partition, index)} is the ID of a row's place, as
 * topic, partition and offset of Kafka.
 *
 * <p>Loaded by {@code LOAD MODULE firn WITH ('store' = 'redis://ids.example.com')}.
 */
public final class FirnModule implements Module {

  private final Map<String, FunctionDefinition> functions;

  /**
   * Creates a module.
   *
   * @param store the address of the register store
   * @param blockSize how many IDs are reserved at once, 1..{@link IdBlocks#MAX_SIZE}
   * @throws IllegalArgumentException if {@code blockSize} is out of its range
   */
  public FirnModule(String store, long blockSize) {
    Require.inRange("blockSize", 1, IdBlocks.MAX_SIZE, blockSize);
    functions =
        Map.of(
            "firn_id", new FirnIdFunction(store, blockSize),
            "firn_stable_id", new FirnStableIdFunction(store, blockSize));
  }

  @Override
  public Set<String> listFunctions() {
    return functions.keySet();
  }

  @Override
  public Optional<FunctionDefinition> getFunctionDefinition(String name) {
    return functions.entrySet().stream()
        .filter(function -> function.getKey().equalsIgnoreCase(name))
        .map(Map.Entry::getValue)
        .findFirst();
  }
}
