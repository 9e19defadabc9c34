package io.firn.server;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.Snowflake;
import io.firn.micrometer.LeaseCounts;
import io.firn.server.config.SnowflakeConfig;

/** A namespace whose worker ID is leased. */
final class OpenSnowflakes extends OpenNamespace {

  /** The longest wait for the numbers of further ticks that a loop is made to bear. */
  private static final long PROMPT_MILLIS = 5;

  private final SnowflakeConfig config;
  private final Snowflake generator;
  private final LeaseCounts leases;
  private final long promptCount;

  OpenSnowflakes(String name, SnowflakeConfig config, Snowflake generator, LeaseCounts leases) {
    super(name);
    this.config = config;
    this.generator = generator;
    this.leases = leases;
    IdLayout layout = generator.layout();
    promptCount = (PROMPT_MILLIS / layout.tick().toMillis()) << layout.bits(Kind.SEQUENCE);
  }

  @Override
  boolean tryNextIds(long[] ids, int count) {
    if (count > promptCount) {
      return false;
    }
    generator.nextIds(ids, 0, count);
    return true;
  }

  @Override
  void awaitNextIds(long[] ids) {
    generator.nextIds(ids);
  }

  @Override
  public SnowflakeStatus status() {
    return new SnowflakeStatus(
        name(),
        config,
        generator.stats(),
        generator.leaseStatus().orElseThrow(), // a server leases every worker ID
        leases);
  }

  @Override
  void close() {
    super.close();
    generator.close();
  }
}
