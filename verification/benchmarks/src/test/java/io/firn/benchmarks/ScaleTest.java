package io.firn.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.benchmarks.LineChart.Curve;
import io.firn.benchmarks.LineChart.Point;
import io.firn.store.InMemoryRegisterStore;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ScaleTest {

  private static final String MEMORY = "memory:";

  /** Read layout, worker and floor; write; read layout and floor. */
  private static final int CALLS_OF_A_FREE_WORKER = 5;

  private static final int RANDOM_PROBES = 12;

  @Test
  void acquiringIsFlatWhileHalfOfTheWorkersAreLeased() {
    for (int bits : new int[] {10, 14}) {
      Occupancy.Cost half = Occupancy.measure(new InMemoryRegisterStore(), MEMORY, bits).half();
      assertThat(half.calls())
          .as("%d workers", 1 << bits)
          .isLessThanOrEqualTo(CALLS_OF_A_FREE_WORKER + RANDOM_PROBES);
    }
  }

  @Test
  void acquiringTheLastWorkerAndACensusScanOnce() {
    for (int bits : new int[] {10, 14}) {
      Occupancy.Costs costs = Occupancy.measure(new InMemoryRegisterStore(), MEMORY, bits);
      assertThat(costs.last().scans()).as("%d workers", 1 << bits).isBetween(0.5, 1.0);
      assertThat(costs.last().calls())
          .isLessThanOrEqualTo(CALLS_OF_A_FREE_WORKER + RANDOM_PROBES + 2);
      assertThat(costs.census().calls()).isEqualTo(1);
    }
  }

  @Test
  void figuresComeBackFromTheirJson() {
    Figures figures =
        new Figures(
            "./firn bench scale",
            Instant.parse("2026-11-23T22:00:00Z"),
            new Machine("a processor", "a JDK", 0.5),
            List.of(
                new LineChart(
                    "CPU of the store",
                    "processes",
                    "cores",
                    List.of(
                        new Curve("Redis", List.of(new Point(10, 0.125), new Point(100, 1))),
                        new Curve("etcd", List.of(new Point(100, 2)))))),
            List.of("etcd ended at a fleet of 1000: it was full"));
    assertThat(Figures.parse(figures.json())).isEqualTo(figures);
    assertThat(figures.markdown("../images/"))
        .contains("- etcd ended at a fleet of 1000: it was full\n")
        .contains("![CPU of the store](../images/scale-cpu-of-the-store.svg)\n")
        .contains("| processes | Redis | etcd |\n| --: | --: | --: |\n| 10 | 0.13 |  |\n")
        .contains("| 100 | 1.00 | 2.00 |\n");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Figures.parse("{\"format\": 3}"))
        .withMessage("format: 3.0 (expected: 1)");
  }

  @Test
  void pageIsWrittenFromTheCommittedRun() throws Exception {
    Path root = Path.of("").toAbsolutePath().resolve("../..");
    Figures run =
        Figures.parse(Files.readString(root.resolve("verification/benchmarks/runs/scale.json")));
    assertThat(Files.readString(root.resolve("docs/reference/scale.md")))
        .as("./firn bench scale --from verification/benchmarks/runs/scale.json --svg docs/images")
        .contains(run.markdown("../images/"));
    for (LineChart chart : run.charts()) {
      assertThat(Files.readString(root.resolve("docs/images").resolve(Figures.fileName(chart))))
          .isEqualTo(chart.svg());
    }
  }

  @Test
  void argumentsSayWhichStores() {
    Scale.Request all =
        Scale.Request.parse("--store", "redis://a", "--store", "jdbc:x", "--json", "f");
    assertThat(all.stores()).containsExactly("redis://a", "jdbc:x");
    assertThat(all.json()).contains(Path.of("f"));
    assertThat(all.bits(MEMORY)).isEqualTo(20);
    assertThat(all.bits("jdbc:x")).isEqualTo(20);
    assertThat(all.bits("redis://a")).isEqualTo(16);
    assertThat(all.fleets("redis://a")).first().isEqualTo(10);
    assertThat(all.fleets(MEMORY)).startsWith(1, 10).last().isEqualTo(10_000);
    Scale.Request quick = Scale.Request.parse("--quick");
    assertThat(quick.bits(MEMORY)).isEqualTo(12);
    assertThat(quick.fleets(MEMORY)).last().isEqualTo(1_000);
  }

  @Test
  void argumentsThatMeanNothingAreRefused() {
    refuses("argument: -q (expected: --quick, --store, --json, --svg or --from)", "-q");
    refuses("store: nothing (expected: a value behind it)", "--store");
    refuses(
        "from: f (expected: alone or with --svg, it measures nothing)", "--quick", "--from", "f");
  }

  private static void refuses(String message, String... arguments) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scale.Request.parse(arguments))
        .withMessage(message);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void serverIsFoundBehindItsPort() throws Exception {
    assertThat(ServerCpu.of("redis://elsewhere.example:6379")).isEmpty();
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "redis://127.0.0.1:" + server.getLocalPort() + "?timeout=1s";
      assertThat(ServerCpu.of(address))
          .hasValueSatisfying(
              cpu -> {
                assertThat(cpu.pid()).isEqualTo(ProcessHandle.current().pid());
                assertThat(cpu.total()).isGreaterThan(Duration.ZERO);
              });
    }
  }
}
