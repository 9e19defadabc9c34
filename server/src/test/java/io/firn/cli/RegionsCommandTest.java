package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RegionsCommandTest {

  @TempDir Path directory;

  private String eu = "";
  private String us = "";
  private Session session = new Session();

  @BeforeEach
  void nameTheStores() {
    eu = "file:" + directory.resolve("eu");
    us = "file:" + directory.resolve("us");
  }

  private int run(String... args) {
    session = new Session();
    return session.run(args);
  }

  private void issue(String store, String... more) {
    String[] args = {"next", "--store", store, "--namespace", "orders", "--layout", "region"};
    String[] all = java.util.Arrays.copyOf(args, args.length + more.length);
    System.arraycopy(more, 0, all, args.length, more.length);
    assertThat(run(all)).as(session.err()).isZero();
  }

  @Test
  void storesWithOtherDatacentersAreDisjoint() {
    issue(eu, "--datacenter", "0");
    issue(us, "--datacenter", "3");

    assertThat(run("regions", eu, us)).isZero();
    assertThat(session.out())
        .isEqualTo(
            """
            orders: disjoint
              datacenter 0 of region in %s
              datacenter 3 of region in %s
            """
                .formatted(eu, us));
  }

  @Test
  void namesTheDatacenterThatTwoStoresHave() {
    issue(eu, "--datacenter", "3");
    issue(us, "--datacenter", "3");

    assertThat(run("regions", eu, us)).isEqualTo(1);
    assertThat(session.out())
        .isEqualTo(
            """
            orders: not disjoint
              datacenter 3 of region in %s
              datacenter 3 of region in %s
              overlap: datacenter 3 in %s and in %s: both can issue 1572864
            """
                .formatted(eu, us, eu, us));
    assertThat(run("regions", "--json", eu, us)).isEqualTo(1);
    assertThat(session.out())
        .isEqualTo(
            """
            {"namespace":"orders","disjoint":false,"regions":[\
            {"store":"%s","layout":"region","datacenters":"3"},\
            {"store":"%s","layout":"region","datacenters":"3"}],\
            "overlaps":["datacenter 3 in %s and in %s: both can issue 1572864"]}
            """
                .formatted(eu, us, eu, us));
  }

  @Test
  void storeWithoutHomesHasEveryWorker() {
    issue(eu, "--datacenter", "3");
    issue(us);

    assertThat(run("regions", eu, us)).isEqualTo(1);
    assertThat(session.out())
        .contains("  every worker of region in " + us + "\n")
        .contains("  overlap: datacenter 3 in " + eu + " and in " + us + ": both can issue ");
  }

  @Test
  void namesEveryOverlapOfMoreStores() {
    String asia = "file:" + directory.resolve("asia");
    issue(eu, "--datacenter", "1");
    home(eu, "1-3");
    issue(us, "--datacenter", "3");
    home(us, "3,5");
    issue(asia, "--datacenter", "2");
    home(asia, "2,5");

    assertThat(run("regions", eu, us, asia)).isEqualTo(1);
    assertThat(session.out())
        .contains("overlap: datacenter 3 in " + eu + " and in " + us + ": both")
        .contains("overlap: datacenter 2 in " + eu + " and in " + asia + ": both")
        .contains("overlap: datacenter 5 in " + us + " and in " + asia + ": both");
  }

  private void home(String store, String datacenters) {
    assertThat(run("store", "home", store, "--namespace", "orders", "--datacenters", datacenters))
        .as(session.err())
        .isZero();
    assertThat(session.out())
        .isEqualTo("orders: home datacenters " + datacenters + " in " + store + "\n");
  }

  @Test
  void comparesLayoutsThatDiffer() {
    issue(eu, "--datacenter", "0");
    assertThat(run("next", "--store", us, "--namespace", "orders")).isZero();

    assertThat(run("regions", "--namespace", "orders", eu, us)).isEqualTo(1);
    assertThat(session.out())
        .contains("overlap: region and classic in " + eu + " and in " + us + ": both can issue ");
  }

  @Test
  void namesAWorkerInUseThatIsNotAtHome() {
    issue(us, "--datacenter", "3");
    issue(eu, "--datacenter", "0");
    home(eu, "0-1");
    assertThat(
            run(
                "workers",
                "reserve",
                "130",
                "--for",
                "legacy",
                "--store",
                eu,
                "--namespace",
                "orders",
                "--layout",
                "region"))
        .as(session.err())
        .isZero();
    assertThat(run("store", "home", eu, "--namespace", "orders", "--datacenters", "0"))
        .isEqualTo(1);
    assertThat(session.err())
        .startsWith(
            "firn: Worker 130 of orders, datacenter 1, is reserved for legacy; release it, and ");
    assertThat(run("regions", eu, us)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--json"})
  void refusesAStoreThatHasNothingOfTheOthers(String option) throws IOException {
    Files.createDirectory(directory.resolve("us"));
    issue(eu, "--datacenter", "0");

    assertThat(option.isEmpty() ? run("regions", eu, us) : run("regions", option, eu, us))
        .isEqualTo(2);
    assertThat(session.err())
        .startsWith(
            "firn: store: "
                + eu
                + " (expected: one with a namespace that another one of the stores has)\n");
    assertThat(run("regions", "--namespace", "bills", eu, us)).isEqualTo(2);
    assertThat(session.err()).contains("(expected: one with namespace bills that another one of");
    assertThat(run("regions", eu)).isEqualTo(2);
  }

  @Test
  void refusesAStoreThatIsGivenTwice() {
    issue(eu, "--datacenter", "0");

    assertThat(run("regions", eu, eu)).isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: store: " + eu + " (expected: each store once, this one is given twice)");
  }

  @Test
  void saysWhichStoresAreOneOrACopy() throws IOException {
    issue(eu, "--datacenter", "0");
    Path copy = Files.createDirectory(directory.resolve("copy"));
    try (Stream<Path> files = Files.list(directory.resolve("eu"))) {
      for (Path file : files.toList()) {
        Path unused = Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    String same = "file:" + copy;
    issue(us, "--datacenter", "0");

    assertThat(run("regions", eu, same, us)).isEqualTo(1);
    String why = "; they have the same registers: one store, or a copy of it\n";
    assertThat(session.out())
        .contains(" in " + eu + " and in " + same + ": both can issue 0" + why)
        .contains(" in " + eu + " and in " + us + ": both can issue 0\n");
  }

  @Test
  void saysWhatIsInOneStoreOnly() {
    issue(eu, "--datacenter", "0");
    issue(us, "--datacenter", "3");
    assertThat(run("next", "--store", us, "--namespace", "bills")).isZero();

    assertThat(run("regions", eu, us)).isZero();
    assertThat(session.out())
        .startsWith("bills: in one store only\n  every worker of classic in " + us + "\n");
  }

  @Test
  void failureGivesNoAnswer() {
    issue(eu, "--datacenter", "0");

    assertThat(run("regions", eu, "redis://127.0.0.1:1?timeout=1s")).isEqualTo(3);
  }

  @Test
  void refusesHomesThatCannotBe() throws IOException {
    Files.createDirectory(Path.of(eu.substring("file:".length())));
    assertThat(run("store", "home", eu, "--namespace", "orders", "--datacenters", "x"))
        .isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: datacenters: x (expected: numbers and ranges, such as 3 or 0-2,4)\n");
    assertThat(run("store", "home", eu, "--namespace", "orders", "--datacenters", "1"))
        .isEqualTo(2);
    assertThat(session.err())
        .startsWith(
            "firn: namespace: orders (expected: a namespace that a generator has used in " + eu);
  }

  @Test
  void leaseElsewhereIsRefusedWithTheRemedy() {
    issue(eu, "--datacenter", "0");
    String[] elsewhere = {
      "next", "--store", eu, "--namespace", "orders", "--layout", "region", "--datacenter", "1"
    };

    assertThat(run(elsewhere)).isEqualTo(2);
    assertThat(session.err())
        .startsWith(
            "firn: datacenter: 1 (expected: datacenter 0, the home of namespace orders in "
                + eu
                + "; if no other store of orders has it, firn store home adds it)\n");
  }
}
