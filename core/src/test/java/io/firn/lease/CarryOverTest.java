package io.firn.lease;

import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.timeOf;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import io.firn.internal.LeaseWindow;
import io.firn.lease.Fleet.Member;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.StoreException;
import io.firn.testkit.ManualTimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Restarts while the store is down. */
@EnabledOnOs(OS.LINUX)
class CarryOverTest {

  @TempDir Path directory;

  private final Fleet fleet = new Fleet();
  private Path file = Path.of("");

  @BeforeEach
  void nameTheFile() {
    file = directory.resolve("rest");
  }

  private Snowflake start() {
    Member member = fleet.member();
    return member.start(TWO_WORKERS, member.lease("same").carryOver(file));
  }

  /** Issues an ID, takes the store down and ends; returns the ID. */
  private long endWhileTheStoreIsDown() {
    Snowflake first = start();
    fleet.pass(Duration.ofSeconds(5));
    long id = first.nextId();
    fleet.store.goDown();
    first.close();
    return id;
  }

  private void refuses(String reason) {
    assertThatThrownBy(this::start)
        .isInstanceOf(StoreException.class)
        .hasMessageEndingWith("; carry-over file " + file + " was not used: " + reason);
    assertThat(file).doesNotExist();
  }

  @Test
  void restartWhileTheStoreIsDownIssuesAtOnceUpToTheFence() {
    long last = endWhileTheStoreIsDown();
    Snowflake second = start();

    last = Fleet.nextAfter(second, last);
    assertThat(timeOf(second, last)).isBetween(fleet.now(), fleet.now().plusMillis(1));
    fleet.pass(Duration.ofMillis(24_900));
    assertThat(Fleet.nextAfter(second, last)).isPositive();
    fleet.pass(Duration.ofMillis(200));
    assertThatThrownBy(second::nextId).isInstanceOf(LeaseExpiredException.class);
  }

  @Test
  void leasesAnotherWorkerWhenTheStoreIsBackAndNeverRenewsTheRest() {
    long last = endWhileTheStoreIsDown();
    Snowflake second = start();
    long worker = worker(second);
    last = Fleet.nextAfter(second, last);
    fleet.store.comeBack();
    fleet.pass(Duration.ofSeconds(3));

    assertThat(worker(second)).isNotEqualTo(worker);
    assertThat(second.leaseStatus().orElseThrow().lastError()).isEmpty();
    Fleet.nextAfter(second, last);
    assertThat(fleet.record(worker).fenceMillis()).isEqualTo(START.plusSeconds(30).toEpochMilli());
    assertThat(fleet.record(worker).held()).isTrue();
  }

  @Test
  void restIsUsedUpAlsoByAGeneratorOfScopes() {
    long last = endWhileTheStoreIsDown();
    Snowflake second = start();
    IdScope scope = second.scope();
    last = Fleet.nextAfter(second, last);
    fleet.pass(Duration.ofSeconds(20));

    last = Fleet.nextAfter(second, last);
    assertThatThrownBy(scope::beforeCommit).isInstanceOf(ScopeExpiredException.class);
    fleet.store.comeBack();
    fleet.pass(Duration.ofSeconds(3));
    assertThat(Fleet.nextAfter(second, last)).isPositive();
  }

  @Test
  void restBeginsPastTheNewestIdAlsoWhereThatWasAheadOfTheClock() {
    Member member = fleet.member();
    Snowflake first =
        member
            .builder(TWO_WORKERS, member.lease("same").carryOver(file))
            .maxLead(Duration.ofSeconds(5))
            .build();
    long[] ids = new long[64 * 2_000]; // two seconds
    first.nextIds(ids, 0, ids.length);
    fleet.store.goDown();
    first.close();

    assertThat(start().nextId()).isGreaterThan(ids[ids.length - 1]);
  }

  @Test
  void pinnedWorkerIsTakenAgainPastTheRest() {
    Member member = fleet.member();
    Snowflake first = member.start(TWO_WORKERS, member.lease().worker(1).carryOver(file));
    long last = first.nextId();
    fleet.store.goDown();
    first.close();
    Member next = fleet.member();
    Snowflake second = next.start(TWO_WORKERS, next.lease().worker(1).carryOver(file));
    last = Fleet.nextAfter(second, last);
    fleet.store.comeBack();
    fleet.pass(Duration.ofSeconds(40));

    long id = Fleet.nextAfter(second, last);
    assertThat(timeOf(second, id)).isAfterOrEqualTo(START.plusSeconds(30));
    assertThat(worker(second)).isEqualTo(1);
  }

  @Test
  void nothingIsLeftWhereTheStoreAnswers() {
    Snowflake first = start();
    first.nextId();
    first.close();

    assertThat(file).doesNotExist();
    assertThat(fleet.namespace().workers()).noneMatch(WorkerEntry::held);
  }

  @Test
  void nothingIsLeftWhereAReleaseWasSent() {
    Snowflake first = start();
    first.nextId();
    fleet.store.nextWrites(Fault.REFUSED);
    first.close();

    assertThat(file).doesNotExist();
  }

  @Test
  void restartWithoutAFileIsRefusedAsWithoutTheSetting() {
    Snowflake first = start();
    first.close();
    fleet.store.goDown();

    refuses("it does not exist, or another process has taken it");
  }

  @Test
  void secondProcessIsRefused() {
    endWhileTheStoreIsDown();
    start();

    refuses("it does not exist, or another process has taken it");
  }

  @Test
  void oneOfManyProcessesThatTakeItAtOnceHasIt() {
    endWhileTheStoreIsDown();
    AtomicInteger taken = new AtomicInteger();
    List<CompletableFuture<Void>> processes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      CarryOver each = carryOver("/proc/sys/kernel/random/boot_id");
      processes.add(
          CompletableFuture.runAsync(
              () -> {
                try {
                  LeaseWindow unused = each.take();
                  taken.incrementAndGet();
                } catch (IOException e) {
                  assertThat(e).hasMessageEndingWith("or another process has taken it");
                }
              }));
    }
    processes.forEach(CompletableFuture::join);

    assertThat(taken).hasValue(1);
  }

  private CarryOver carryOver(String boot) {
    Member member = fleet.member();
    return new CarryOver(
        file, Path.of(boot), member.lease("same").carryOver(file).build(), TWO_WORKERS, member);
  }

  @Test
  void copyIsRefused() throws IOException {
    endWhileTheStoreIsDown();
    Path copy = directory.resolve("copy");
    Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
    start();
    Files.move(copy, file);

    refuses("it is a copy");
  }

  @Test
  void fileWithAnotherLinkIsRefusedUnderBothNames() throws IOException {
    endWhileTheStoreIsDown();
    Path link = Files.createLink(directory.resolve("link"), file);
    refuses("it has 2 links");
    Files.move(link, file);

    refuses("it was truncated or changed");
  }

  @Test
  void anythingButAFileInADirectoryIsRefusedWhenItIsConfigured() throws IOException {
    Path target = Files.writeString(directory.resolve("target"), "other");
    Path link = Files.createSymbolicLink(directory.resolve("link"), target);
    for (Path each : List.of(directory, link, directory.resolve("none/rest"), Path.of("/"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> fleet.member().lease().carryOver(each).build())
          .withMessage(
              "carryOver: "
                  + each
                  + " (expected: a regular file or a new one in an existing directory)");
    }
  }

  @Test
  void fileThatReplacedTheCarryOverFileIsLeftAlone() throws IOException {
    CarryOver carryOver = carryOver("/proc/sys/kernel/random/boot_id");
    long begin = START.toEpochMilli();
    LeaseWindow rest = new LeaseWindow(0, begin, begin + 30_000, 0);
    Files.createDirectory(file);
    Files.writeString(file.resolve("data"), "other");
    String refusal = "carry-over file " + file + " was not used: it is not a regular file";
    assertThatThrownBy(carryOver::take).isInstanceOf(IOException.class).hasMessage(refusal);
    assertThatThrownBy(() -> carryOver.write(rest)).hasMessage(refusal);
    assertThat(file.resolve("data")).hasContent("other");
    assertThat(directory).isDirectoryNotContaining(each -> !each.equals(file));

    Path target = Files.move(file.resolve("data"), directory.resolve("target"));
    Files.delete(file);
    Files.createSymbolicLink(file, target);
    assertThatThrownBy(carryOver::take).hasMessage(refusal);
    assertThatThrownBy(() -> carryOver.write(rest)).hasMessage(refusal);
    assertThat(target).hasContent("other");
    assertThat(file).isSymbolicLink();
  }

  @Test
  void writeThatFailsLeavesNothing() {
    CarryOver carryOver = carryOver(directory.resolve("none").toString());
    long begin = START.toEpochMilli();
    assertThatThrownBy(() -> carryOver.write(new LeaseWindow(0, begin, begin + 30_000, 0)))
        .isInstanceOf(IOException.class);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void fileOfAnotherBootIsRefused() throws IOException {
    fleet.member().start(TWO_WORKERS).close();
    fleet.store.goDown();
    Path boot = Files.writeString(directory.resolve("boot"), "another\n");
    long begin = START.toEpochMilli();
    carryOver(boot.toString()).write(new LeaseWindow(0, begin, begin + 30_000, 0));

    refuses("it belongs to another boot of a host");
  }

  @Test
  void tornWriteIsRefusedWhereverItWasCut() throws IOException {
    long begin = START.toEpochMilli();
    fleet.store.goDown();
    carryOver("/proc/sys/kernel/random/boot_id")
        .write(new LeaseWindow(0, begin, begin + 30_000, 0));
    byte[] whole = Files.readAllBytes(file);
    Files.delete(file);
    for (int length = 0; length < whole.length; length += 7) {
      Files.write(file, java.util.Arrays.copyOf(whole, length));
      refuses("it was truncated or changed");
    }
    whole[whole.length / 2] ^= 1;
    Files.write(file, whole);
    refuses("it was truncated or changed");
  }

  @Test
  void windowThatEndedIsRefused() {
    endWhileTheStoreIsDown();
    fleet.pass(Duration.ofSeconds(25));

    refuses("its window ended at " + Instant.parse("2026-11-01T00:00:30Z"));
  }

  @Test
  void fileOfAnotherLeaseIsRefused() throws IOException {
    endWhileTheStoreIsDown();
    assertThatThrownBy(
            () -> {
              Member member = fleet.member();
              member.start(Fleet.ONE_WORKER, member.lease().carryOver(file));
            })
        .hasMessageEndingWith("it belongs to another layout");

    fleet.store.comeBack();
    endWhileTheStoreIsDown();
    String text = Files.readString(file);
    long worker = text.contains(" worker=0 ") ? 0 : 1;
    assertThatThrownBy(
            () -> {
              Member member = fleet.member();
              member.start(TWO_WORKERS, member.lease().worker(1 - worker).carryOver(file));
            })
        .hasMessageEndingWith("it belongs to worker " + worker);
  }

  @Test
  void namespaceWhoseLayoutChangesLeavesNone() {
    Snowflake first = start();
    IdLayout next = IdLayout.of("46t+1w+6s@2026-01-01T00:00:00Z/1ms");
    fleet.store.put(
        Fleet.LAYOUT,
        "firn-namespace/4 layout=%s next=%s from=2027-01-01T00:00:00Z state=fixed change=5f0c"
            .formatted(TWO_WORKERS, next));
    fleet.pass(Duration.ofMinutes(1)); // it sees that with its next renewal
    first.nextId();
    fleet.store.goDown();
    first.close();

    assertThat(file).doesNotExist();
  }

  /** Two hosts that restart their process at any time, and a store that is down half of it. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void noIdIsIssuedTwice(long seed) {
    ManualTimeSource dice = new ManualTimeSource(START, seed);
    Snowflake[] hosts = new Snowflake[2];
    Set<Long> ids = new HashSet<>();
    int restOfWindows = 0;
    for (int step = 0; step < 500; step++) {
      int host = (int) dice.random(2);
      file = directory.resolve("rest-" + host);
      try {
        switch ((int) dice.random(8)) {
          case 0 -> fleet.store.goDown();
          case 1 -> fleet.store.comeBack();
          case 2 -> {
            if (hosts[host] != null) {
              hosts[host].close();
            }
            restOfWindows += Files.exists(file) ? 1 : 0;
            hosts[host] = null; // for the case that starting it fails
            hosts[host] = start();
          }
          default -> {
            if (hosts[host] != null) {
              assertThat(ids.add(hosts[host].nextId())).isTrue();
            }
          }
        }
      } catch (FirnException e) {
        fleet.pass(Duration.ofMillis(100)); // the store is down, or no worker is free
      }
      fleet.pass(Duration.ofMillis(dice.random(3_000)));
    }

    assertThat(ids).hasSizeGreaterThan(100);
    assertThat(restOfWindows).isGreaterThan(3);
  }

  @Test
  void storeThatMayForgetHasNone() {
    fleet.store.thatMayForget();

    assertThatIllegalArgumentException()
        .isThrownBy(this::start)
        .withMessage(
            "carryOver: " + file + " (expected: none, as faulty: may lose what it acknowledged)");
  }

  @Test
  void namespaceWithAWatermarkLeavesNone() {
    Snowflake first = start();
    String floor = "floor=2026-11-01T00:00:00Z before=2026-10-31T23:59:45Z everyMillis=500";
    fleet.store.put(Fleet.NAMESPACE + "/watermark", "firn-watermark/1 " + floor);
    fleet.pass(Duration.ofMinutes(2)); // it looks for the floor
    first.nextId();
    fleet.store.goDown();
    first.close();

    assertThat(file).doesNotExist();
  }
}
