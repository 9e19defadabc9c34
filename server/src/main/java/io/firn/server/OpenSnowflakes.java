package io.firn.server;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.Snowflake;
import io.firn.server.config.SnowflakeConfig;
import java.util.Optional;

/** A namespace whose worker ID is leased. */
final class OpenSnowflakes extends OpenNamespace {

  /** The longest wait for the numbers of further ticks that a loop is made to bear. */
  private static final long PROMPT_MILLIS = 5;

  private final SnowflakeConfig config;
  private final Snowflake generator;
  private final LeaseTally leases;
  private final long promptCount;

  OpenSnowflakes(String name, SnowflakeConfig config, Snowflake generator, LeaseTally leases) {
    super(name);
    this.config = config;
    this.generator = generator;
    this.leases = leases;
    IdLayout layout = generator.layout();
    promptCount = (PROMPT_MILLIS / layout.tick().toMillis()) << layout.bits(Kind.SEQUENCE);
  }

  @Override
  public boolean tryNextIds(long[] ids, int from, int to) {
    if (to - from > promptCount) {
      return false;
    }
    generator.nextIds(ids, from, to);
    return true;
  }

  @Override
  void awaitNextIds(long[] ids) {
    generator.nextIds(ids);
  }

  @Override
  public NamespaceStatus status() {
    return new NamespaceStatus(
        name(),
        config,
        Optional.of(generator.stats()),
        generator.leaseStatus(),
        Optional.of(leases.counts()),
        Optional.empty(),
        Optional.empty());
  }

  @Override
  void close() {
    super.close();
    generator.close();
  }
}
