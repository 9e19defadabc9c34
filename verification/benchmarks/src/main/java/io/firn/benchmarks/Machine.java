package io.firn.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** The machine that the figures were measured on. */
record Machine(String hardware, String jdk, double load) {

  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  static Machine now() {
    String hardware =
        "%s, %d cores, %s %s %s"
            .formatted(
                processor(),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                System.getProperty("os.arch"));
    String jdk = System.getProperty("java.vm.name") + " " + Runtime.version();
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return new Machine(hardware, jdk, load);
  }

  Json json() {
    return Json.object().with("hardware", hardware).with("jdk", jdk).withNumber("load", load);
  }

  static Machine parse(Json machine) {
    return new Machine(
        machine.text("hardware"), machine.text("jdk"), machine.optionalNumber("load").orElse(-1));
  }

  private static String processor() {
    if (!Files.isReadable(CPU_INFO)) {
      return "unknown processor";
    }
    try (Stream<String> lines = Files.lines(CPU_INFO)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown processor");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The load average of the minute before the run: on a quiet machine next to 0. */
  String loadText() {
    return load < 0 ? "unknown" : String.format(Locale.ROOT, "%.2f", load);
  }
}
