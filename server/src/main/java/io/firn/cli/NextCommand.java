package io.firn.cli;

import io.firn.ClockPolicy;
import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.integration.GeneratorSettings;
import io.firn.integration.GeneratorSettings.Setting;
import io.firn.integration.WorkerNumber;
import io.firn.internal.Require;
import io.firn.lease.LeaseConfig;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentSource;
import io.firn.server.config.SnowflakeConfig;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.text.IdFormat;
import io.firn.wide.WideIdGenerator;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Issues IDs. */
@Command(
    name = "next",
    description = "Issue IDs, one per line. Any setting of a generator is a flag, as --window.")
final class NextCommand implements Callable<Integer> {

  /** More than a store takes to report that it is not there. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);

  /** Shown in the help; the others are in the documentation. */
  private static final Set<Setting> PROMINENT =
      EnumSet.of(Setting.LAYOUT, Setting.DATACENTER, Setting.WORKER, Setting.ALLOW_UNDER_TEN_YEARS);

  private static final Set<String> OF_BLOCKS =
      Set.of("--block", "--layout", "--store", "--namespace", "--outside-watermark", "--trace");

  private final Shell shell;

  @Spec @Nullable CommandSpec spec;

  @Option(
      names = {"-n", "--count"},
      paramLabel = "COUNT",
      converter = Arguments.Count.class,
      description = "The number of IDs; 1 by default.")
  long count = 1;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      completionCandidates = Arguments.TypeNames.class,
      description = "${COMPLETION-CANDIDATES}; snowflake if unset.")
  @Nullable IdType type;

  @Mixin StoreOptions store = new StoreOptions();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      completionCandidates = Arguments.FormatNames.class,
      description = "${COMPLETION-CANDIDATES}; decimal by default.")
  IdFormat format = IdFormat.DECIMAL;

  @Option(
      names = "--segment",
      paramLabel = "KEY",
      description = "Issue the next numbers of this key's counter instead.")
  @Nullable String segment;

  @Option(
      names = "--step",
      paramLabel = "N",
      description = "The number of IDs in a fetched segment.")
  @Nullable Long step;

  @Option(
      names = "--block",
      paramLabel = "N",
      description = "Reserve a block of N IDs instead, and print it in one line.")
  @Nullable Long block;

  @Option(
      names = "--outside-watermark",
      description = "Reserve it despite a watermark, whose readers may miss it.")
  boolean outsideWatermark;

  NextCommand(Shell shell) {
    this.shell = shell;
  }

  /** Returns the command with a flag for each setting of a generator. */
  CommandSpec withFlags() {
    CommandSpec command = CommandSpec.forAnnotatedObject(this);
    for (Setting setting : Setting.values()) {
      command.addOption(option(setting));
    }
    return command;
  }

  private static OptionSpec option(Setting setting) {
    OptionSpec.Builder option =
        OptionSpec.builder(flag(setting))
            .type(Object.class)
            .converters(new Converter<>(setting::parse))
            .paramLabel(setting.form())
            .description(setting.description())
            .hidden(!PROMINENT.contains(setting));
    return switch (setting) {
      case LAYOUT ->
          option
              .converters(new Converter<>(Arguments::layout))
              .completionCandidates(new Arguments.LayoutNames())
              .build();
      case ALLOW_UNDER_TEN_YEARS -> option.arity("0..1").fallbackValue("on").build();
      default -> option.build();
    };
  }

  private static String flag(Setting setting) {
    return "--" + setting.key();
  }

  @Override
  public Integer call() throws IOException {
    IdType issued = type != null ? type : segment != null ? IdType.SEGMENT : IdType.SNOWFLAKE;
    refuseOptionsOfOthers(issued);
    if (outsideWatermark && block == null) {
      throw new BadInput("option: --outside-watermark (expected: only with --block)");
    }
    WideIdGenerator<?> wide = issued.wideIds();
    if (block != null) {
      writeBlock(block);
    } else if (wide != null) {
      IdStream.of(wide, shell.out()).write(count);
    } else if (issued == IdType.SEGMENT) {
      writeNumbers();
    } else {
      writeIds();
    }
    return 0;
  }

  private CommandSpec spec() {
    return Objects.requireNonNull(spec);
  }

  private void refuseOptionsOfOthers(IdType issued) {
    spec().commandLine().getParseResult().matchedOptions().stream()
        .map(OptionSpec::longestName)
        .filter(option -> !issued.has(option))
        .findFirst()
        .ifPresent(
            option -> {
              throw new BadInput(
                  "option: " + option + " (expected: not with type " + issued.label() + ")");
            });
  }

  private void writeNumbers() throws IOException {
    String key = segment;
    if (key == null) {
      throw new BadInput("segment: not set (expected: a key of the store)");
    }
    try (SegmentSource opened = store.openSegments(shell, registers -> numbers(registers, key));
        SegmentGenerator generator = numbers(opened, key).build()) {
      AtExit.run(
          generator::close, () -> IdStream.of(generator, count, format, shell.out()).write(count));
    }
  }

  private SegmentGenerator.Builder numbers(SegmentSource opened, String key) {
    try {
      SegmentGenerator.Builder builder = SegmentGenerator.builder(opened, key).maxWait(MAX_WAIT);
      if (step != null) {
        builder.step(step);
      }
      return builder;
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }

  private void writeBlock(long size) throws IOException {
    spec().commandLine().getParseResult().matchedOptions().stream()
        .map(OptionSpec::longestName)
        .filter(option -> !OF_BLOCKS.contains(option))
        .findFirst()
        .ifPresent(
            option -> {
              throw new BadInput("option: " + option + " (expected: not with --block)");
            });
    IdLayout layout = spec().findOption(flag(Setting.LAYOUT)).getValue();
    String namespace = store.namespaceFor(layout == null ? IdLayout.CLASSIC : layout);
    // No store is made for bad input.
    var unused = block(new InMemoryRegisterStore(), namespace, layout, size);
    try (RegisterStore opened = store.openOrCreate(shell)) {
      shell.print(block(opened, namespace, layout, size) + "\n");
    } catch (IllegalStateException e) {
      throw new FirnException(
          String.valueOf(e.getMessage())
              .replace("ask for blocks outside of it", "add --outside-watermark"),
          e);
    }
    shell.out().flush();
  }

  private IdBlock block(
      RegisterStore registers, String namespace, @Nullable IdLayout layout, long size) {
    return valid(
        () -> {
          IdBlocks.Builder blocks = IdBlocks.builder(registers, namespace).timeSource(shell.time());
          if (layout != null) {
            blocks.layout(layout);
          }
          if (outsideWatermark) {
            blocks.outsideWatermark();
          }
          return blocks.build().take(size);
        });
  }

  private void writeIds() throws IOException {
    GeneratorSettings settings =
        valid(() -> GeneratorSettings.of(setting -> spec().findOption(flag(setting)).getValue()));
    refuseLongTimes(settings);
    WorkerNumber worker = settings.worker();
    if (worker != null && worker.number().isPresent() && !store.isGiven()) {
      writeIds(settings::fixed);
      return;
    }
    IdLayout layout = settings.layout() == null ? IdLayout.CLASSIC : settings.layout();
    String namespace = store.namespaceFor(layout);
    // No store is made for bad input.
    valid(() -> settings.leased(LeaseConfig.builder(new InMemoryRegisterStore(), namespace)));
    try (RegisterStore opened = store.openOrCreate(shell)) {
      writeIds(() -> settings.leased(LeaseConfig.builder(opened, namespace)));
    }
  }

  /** Refuses the times that the server refuses. */
  private static void refuseLongTimes(GeneratorSettings settings) {
    requireAtMost(Setting.MAX_WAIT, SnowflakeConfig.MAX_WAIT, settings.maxWait());
    requireAtMost(Setting.MAX_LEAD, SnowflakeConfig.MAX_LEAD, settings.maxLead());
    ClockPolicy policy = settings.clockPolicy();
    if (policy != null && !SnowflakeConfig.allows(policy)) {
      throw new BadInput(
          Setting.CLOCK_POLICY.key()
              + ": "
              + policy
              + " (expected: "
              + SnowflakeConfig.CLOCK_POLICY_RULE
              + ")");
    }
  }

  private static void requireAtMost(Setting setting, Duration most, @Nullable Duration time) {
    if (time != null) {
      valid(() -> Require.inRange(setting.key(), Duration.ZERO, most, time));
    }
  }

  private void writeIds(Supplier<Snowflake.Builder> builder) throws IOException {
    try (Snowflake generator = built(builder)) {
      AtExit.run(generator::close, () -> IdStream.of(generator, format, shell.out()).write(count));
    }
  }

  private Snowflake built(Supplier<Snowflake.Builder> builder) {
    return valid(() -> builder.get().timeSource(shell.time()).build());
  }

  private static <T> T valid(Supplier<T> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }
}
