package io.firn.flink;

import io.firn.block.IdBlocks;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.ModuleFactory;
import org.apache.flink.table.module.Module;

/** Makes the module of {@code LOAD MODULE firn}; found by Flink. */
public final class FirnModuleFactory implements ModuleFactory {

  private static final ConfigOption<String> STORE =
      ConfigOptions.key("store")
          .stringType()
          .noDefaultValue()
          .withDescription("Address of the register store.");

  private static final ConfigOption<Long> BLOCK_SIZE =
      ConfigOptions.key("block-size")
          .longType()
          .defaultValue(StampOptions.DEFAULT_BLOCK_SIZE)
          .withDescription("How many IDs are reserved at once. Stable IDs keep it.");

  /** Creates a factory, as Flink does. */
  public FirnModuleFactory() {}

  @Override
  public String factoryIdentifier() {
    return "firn";
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(STORE);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of(BLOCK_SIZE);
  }

  @Override
  public Module createModule(Context context) {
    FactoryUtil.ModuleFactoryHelper helper = FactoryUtil.createModuleFactoryHelper(this, context);
    helper.validate();
    long blockSize = helper.getOptions().get(BLOCK_SIZE);
    if (blockSize < 1 || blockSize > IdBlocks.MAX_SIZE) {
      throw new ValidationException(
          "block-size: " + blockSize + " (expected: 1.." + IdBlocks.MAX_SIZE + ")");
    }
    return new FirnModule(helper.getOptions().get(STORE), blockSize);
  }
}
