package io.firn.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.store.FaultyStore;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.Register;
import io.firn.store.StoreException;
import io.firn.testkit.ManualTimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class NamedBlocksTest {

  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");

  private final FaultyStore store = new FaultyStore();
  private final ManualTimeSource time = new ManualTimeSource(START);

  private IdBlocks blocks() {
    return IdBlocks.builder(store, "orders").timeSource(time).build();
  }

  private static BlockName name(String shape, int partition, int page) {
    return new BlockName("load", shape, partition, page);
  }

  @Test
  void theSameNameIsTheSameBlockInEveryProcess() {
    IdBlock block = blocks().named(name("4/abc", 0, 0), 1000);

    assertThat(blocks().named(name("4/abc", 0, 0), 1000)).isEqualTo(block);
    assertThat(blocks().jobs())
        .containsExactly(new BlockJob("load", "4/abc", false, START, 1, 1000));
  }

  @Test
  void everyPartitionAndPageHasItsOwn() {
    Map<BlockName, IdBlock> named = new HashMap<>();
    Set<Long> ids = new HashSet<>();
    for (int partition = 0; partition < 3; partition++) {
      for (int page : new int[] {0, 1, 7, 8, 9, BlockName.MAX_PAGE}) {
        BlockName name = name("s", partition, page);
        named.put(name, blocks().named(name, 100));
        named.get(name).forEach(ids::add);
      }
    }

    assertThat(ids).hasSize(1800);
    named.forEach((name, block) -> assertThat(blocks().named(name, 100)).isEqualTo(block));
    assertThat(blocks().jobs().get(0).blocks()).isEqualTo(18);
    assertThat(store.scan("orders/block/"))
        .allMatch(
            register -> register.value().length() <= 4_000 && register.name().length() <= 200);
  }

  @Test
  void eightPagesOfSixtyFourWorkersFitIntoARegisterOf4000Characters() {
    for (int page = 0; page < 8; page++) {
      blocks().named(name("s".repeat(200), Integer.MAX_VALUE, page), 64L * 40_000 * 4096);
    }

    assertThat(store.scan("orders/block/"))
        .hasSize(2)
        .allMatch(register -> register.value().length() <= 4_000);
  }

  @Test
  void pagesOfLongWorkerIdsShareTheCharactersOfARegister() {
    for (String layout :
        List.of(
            "game", "1d+30t+20w+12s@2026-01-01T00:00:00Z/1s", "31t+32w@2026-01-01T00:00:00Z/1s")) {
      store.forgetAll();
      IdBlocks blocks =
          IdBlocks.builder(store, "orders").timeSource(time).layout(IdLayout.of(layout)).build();
      long size = 2_000L << blocks.layout().bits(IdLayout.Kind.SEQUENCE);
      Map<BlockName, IdBlock> named = new HashMap<>();
      for (int page = 8; page < 16; page++) {
        BlockName name = name("s".repeat(200), Integer.MAX_VALUE, page);
        named.put(name, blocks.named(name, size));
      }

      assertThat(store.scan("orders/block/"))
          .hasSize(2)
          .allMatch(register -> register.value().length() <= 4_000, layout);
      named.forEach((name, block) -> assertThat(blocks.named(name, size)).isEqualTo(block));
    }
  }

  @Test
  void pagesOfARegisterThatIsHalfFullShareTheRest() {
    IdBlocks blocks =
        IdBlocks.builder(store, "orders").timeSource(time).layout(IdLayout.GAME).build();
    blocks.named(name("s".repeat(200), 0, 0), 4096);
    Register pages = store.read("orders/block/load/0/0").orElseThrow();
    String wide =
        pages.value().replaceFirst("@[0-9]+@31t", "@" + "1048575,".repeat(63) + "1048575@31t");
    StringBuilder text = new StringBuilder(pages.value());
    String entry = wide.substring(wide.indexOf(" page.0="));
    for (int page = 1; page < 6; page++) {
      text.append(entry.replace("page.0", "page." + page));
    }
    store.put(pages.name(), text.toString());

    for (int page = 6; page < 8; page++) {
      blocks.named(name("s".repeat(200), 0, page), 4096L * 2_000);
    }

    assertThat(store.read(pages.name()).orElseThrow().value().length()).isBetween(3_500, 4_000);
  }

  @Test
  void anotherShapeIsRefusedWhicheverPartitionAsks() {
    blocks().named(name("4/abc", 0, 0), 1000);

    for (int partition : new int[] {0, 5}) {
      assertThatThrownBy(() -> blocks().named(name("8/abc", partition, 0), 1000))
          .isInstanceOf(BlockShapeException.class)
          .hasMessage(
              "Job load has shape 8/abc, and had shape 4/abc when its IDs were reserved; run it"
                  + " with that shape, or forget the job");
    }
    assertThatThrownBy(() -> blocks().named(name("4/abc", 0, 0), 1001))
        .isInstanceOf(BlockShapeException.class)
        .hasMessage(
            "Page 0 of partition 0 of job load has 1001 IDs, and had 1000 when they were"
                + " reserved; run it with that many, or forget the job");
  }

  /** The register of the job may have been taken back; that of the pages then still refuses. */
  @Test
  void pagesRefuseAnotherShapeOnTheirOwn() {
    blocks().named(name("4/abc", 0, 0), 1000);
    Register job = store.read("orders/block/load/job").orElseThrow();
    store.put(job.name(), job.value().replace("4/abc", "8/abc"));

    assertThatThrownBy(() -> blocks().named(name("8/abc", 0, 0), 1000))
        .isInstanceOf(BlockShapeException.class);
  }

  @Test
  void everyWriteMayFailInEveryWayAndTheNameStaysOneBlock() {
    for (Fault fault : Fault.values()) {
      if (fault == Fault.REFUSED) {
        continue;
      }
      for (int at = 0; at < 4; at++) {
        store.forgetAll();
        Fault[] faults = new Fault[at + 1];
        Arrays.fill(faults, Fault.APPLIED);
        faults[at] = fault;
        store.nextWrites(faults);

        IdBlock first = blocks().named(name("s", 0, 0), 100);
        store.deliverLate();
        IdBlock second = blocks().named(name("s", 0, 0), 100);
        assertThat(second).as("%s at write %d", fault, at).isEqualTo(first);
      }
    }
  }

  /**
   * A read shows a name that a failover then takes back, so the block counts once it is written.
   */
  @Test
  void aNameThatIsThereIsWrittenBeforeItsBlockIsUsed() {
    Map<String, Register> before = new HashMap<>(store.copy());
    blocks().named(name("s", 0, 0), 100);
    AtomicBoolean failedOver = new AtomicBoolean();
    Runnable failover =
        () -> {
          if (failedOver.compareAndSet(false, true)) {
            store.rollBack(before);
          }
        };
    store.beforeNextWrite(failover);

    IdBlock block = blocks().named(name("s", 0, 0), 100);
    failover.run(); // had it written nothing

    assertThat(blocks().named(name("s", 0, 0), 100)).isEqualTo(block);
  }

  @Test
  void aStoreThatReportsNoOutcomeIsGivenUpAndNothingIsUsed() {
    Fault[] lost = new Fault[64];
    Arrays.fill(lost, Fault.REQUEST_LOST);
    store.put("orders/layout", "firn-namespace/1 layout=41t+10w+12s@2026-01-01T00:00:00Z/1ms");
    store.nextWrites(lost);

    assertThatThrownBy(() -> blocks().named(name("s", 0, 0), 100))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "Store faulty: did not apply 16 writes of job load, or did not report it; retry: IDs"
                + " that were reserved and not used stay a gap");
  }

  @Test
  void aProcessWaitsForAsManyOthersAsAskForTheName() {
    IdBlock block = blocks().named(name("s", 0, 0), 100);
    AtomicInteger others = new AtomicInteger(200);
    Runnable[] goesFirst = new Runnable[1];
    goesFirst[0] =
        () -> {
          IdBlock unused = blocks().named(name("s", 0, 0), 100);
          if (others.decrementAndGet() > 0) {
            store.beforeNextWrite(goesFirst[0]);
          }
        };
    store.beforeNextWrite(goesFirst[0]);

    assertThat(blocks().named(name("s", 0, 0), 100)).isEqualTo(block);
    assertThat(others).hasValue(0);
  }

  @Test
  void processesThatAskAtOnceGetTheSameBlock() {
    List<IdBlock> found = new ArrayList<>();
    store.beforeNextWrite(
        () -> {
          found.add(blocks().named(name("s", 0, 0), 100));
          store.beforeNextWrite(() -> found.add(blocks().named(name("s", 0, 0), 100)));
        });

    found.add(blocks().named(name("s", 0, 0), 100));

    assertThat(new HashSet<>(found)).hasSize(1);
    assertThat(found).hasSizeGreaterThan(1);
  }

  @Test
  void aJobThatIsForgottenBeginsAgainWithOtherIds() {
    IdBlock before = blocks().named(name("4/abc", 0, 0), 1000);

    assertThat(blocks().forget("load")).isTrue();
    assertThat(blocks().forget("load")).isFalse();
    assertThat(blocks().jobs())
        .containsExactly(new BlockJob("load", "4/abc", true, START, 1, 1000));
    IdBlock after = blocks().named(name("8/abc", 0, 0), 2000);

    Set<Long> ids = new HashSet<>();
    before.forEach(ids::add);
    after.forEach(ids::add);
    assertThat(ids).hasSize(3000);
    assertThat(blocks().jobs())
        .containsExactly(new BlockJob("load", "8/abc", false, START, 1, 2000));
    assertThat(blocks().forget("other")).isFalse();
  }

  @Test
  void aJobIsForgottenByTheCallWhoseFirstReplyWasLost() {
    blocks().named(name("4/abc", 0, 0), 10);
    IdBlocks blocks = blocks();
    store.nextWrites(Fault.REPLY_LOST);

    assertThat(blocks.forget("load")).isTrue();
  }

  /** It read the job before that was forgotten, and asks for a page after another one has it. */
  @Test
  void aProcessOfAForgottenJobIsRefusedOnceTheNameIsUsedAgain() {
    blocks().named(name("4/abc", 0, 1), 10);
    IdBlocks old = blocks();
    store.beforeNextWrite(
        () -> {
          blocks().forget("load");
          blocks().named(name("8/abc", 0, 0), 20);
        });

    assertThatThrownBy(() -> old.named(name("4/abc", 0, 0), 10))
        .isInstanceOf(BlockShapeException.class);
  }

  /** Runs something between the read of the job and that of its pages. */
  private void betweenTheReadsOfJobAndPages(Runnable what) {
    store.beforeNextRead( // of the watermark; then come those of the job and of the pages
        () -> store.beforeNextRead(() -> store.beforeNextRead(what)));
  }

  @Test
  void aJobThatIsForgottenAndUsedAgainBetweenTheTwoReadsIsReadAgain() {
    blocks().named(name("s", 0, 0), 10);
    IdBlocks old = blocks();
    List<IdBlock> used = new ArrayList<>();
    betweenTheReadsOfJobAndPages(
        () -> {
          blocks().forget("load");
          used.add(blocks().named(name("s", 0, 0), 10));
        });

    IdBlock named = old.named(name("s", 0, 0), 10);

    assertThat(used).containsExactly(named);
    assertThat(blocks().named(name("s", 0, 0), 10)).isEqualTo(named);
  }

  @Test
  void pagesOfAJobThatIsForgottenAgainBetweenTheTwoReadsAreNotUsed() {
    blocks().named(name("s", 0, 0), 10);
    IdBlocks old = blocks();
    List<IdBlock> used = new ArrayList<>();
    betweenTheReadsOfJobAndPages(
        () -> {
          blocks().forget("load");
          used.add(blocks().named(name("s", 0, 0), 10));
          blocks().forget("load");
        });

    IdBlock named = old.named(name("s", 0, 0), 10);

    assertThat(used).hasSize(1).doesNotContain(named);
  }

  /**
   * A read shows a job that a failover then takes back, and another process begins it with another
   * shape: rows of one input would have IDs by both.
   */
  @Test
  void aJobThatIsThereIsWrittenBeforeItsShapeCounts() {
    blocks().take(1);
    Map<String, Register> before = store.copy();
    store.put(
        "orders/block/load/job",
        "firn-job/1 generation=1 forgotten=false shape=4/abc created=2026-11-01T00:00:00Z nonce=1");
    store.beforeNextWrite(
        () -> {
          store.rollBack(before);
          blocks().named(name("8/abc", 1, 0), 100);
        });

    assertThatThrownBy(() -> blocks().named(name("4/abc", 0, 0), 100))
        .isInstanceOf(BlockShapeException.class);
  }

  /**
   * A write of unknown outcome has named a block, another process has used it, and the job was
   * forgotten before the first process asks again.
   */
  @Test
  void aBlockThatAForgottenJobMayHaveUsedIsNotNamedAgain() {
    blocks().named(name("s", 1, 0), 100);
    List<IdBlock> used = new ArrayList<>();
    store.nextWrites(Fault.APPLIED, Fault.REPLY_LOST);
    store.beforeNextWrite( // of the block; then comes that of the name
        () ->
            store.beforeNextWrite(
                () ->
                    store.beforeNextRead(
                        () -> {
                          used.add(blocks().named(name("s", 0, 0), 100));
                          blocks().forget("load");
                        })));

    IdBlock named = blocks().named(name("s", 0, 0), 100);

    assertThat(used).hasSize(1).doesNotContain(named);
  }

  @Test
  void aStoreThatMayForgetGivesNoNames() {
    store.withIdentity("a").withClock(time::currentTimeMillis);
    blocks().take(1);
    store.thatMayForget();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> blocks().named(name("s", 0, 0), 100))
        .withMessage(
            "store: faulty: may forget (expected: may-forget=false, because a lost name would get"
                + " other IDs)");
  }

  @Test
  void partsOfANameAreChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BlockName("a/b", "s", 0, 0))
        .withMessage("job: a/b (expected: 1..64 of A-Z a-z 0-9 . _ : -)");
    for (String shape : List.of("", "a b", "s".repeat(201))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new BlockName("a", shape, 0, 0))
          .withMessage("shape: " + shape + " (expected: 1..200 visible ASCII characters)");
    }
    assertThatIllegalArgumentException().isThrownBy(() -> new BlockName("a", "s", -1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new BlockName("a", "s", 0, -1));
    assertThatIllegalArgumentException().isThrownBy(() -> new BlockName("a", "s", 0, 65_536));
  }

  @Test
  void recordsReadAsTheyAreWritten() {
    blocks().named(name("4/abc", 3, 9), 5000);

    assertThat(store.value("orders/block/load/job"))
        .matches(
            "firn-job/1 generation=1 forgotten=false kept=true shape=4/abc"
                + " created=2026-11-01T00:00:00Z nonce=[0-9a-f]+");
    assertThat(store.value("orders/block/load/3/1"))
        .matches(
            "firn-pages/1 generation=1 shape=4/abc opened=1 nonce=[0-9a-f]+"
                + " page.9=5000@26265600000@[0-9]+@41t\\+10w\\+12s@2026-01-01T00:00:00Z/1ms");
    for (String place : List.of("", "1@0", "1@0@none", "1@0@41t+10w+12s")) {
      store.put(
          "orders/block/load/3/1",
          "firn-pages/1 generation=1 shape=4/abc opened=1 nonce=a page.9=5000@" + place);
      assertThatThrownBy(() -> blocks().named(name("4/abc", 3, 9), 5000))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(", and this version reads pages with their places; ");
    }
    store.put("orders/block/load/3/1", "firn-pages/1 generation=x");
    assertThatThrownBy(() -> blocks().named(name("4/abc", 3, 9), 5000))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith(
            "Register orders/block/load/3/1 cannot be read: it holds firn-pages/1 generation=x, and");
  }

  @Test
  void jobWithAWordThatIsNoTruthValueIsRefused() {
    for (String fields : List.of("forgotten=no", "forgotten=false kept=1")) {
      String text =
          "firn-job/1 generation=1 " + fields + " shape=4/abc created=2026-11-01T00:00:00Z nonce=1";
      store.put("orders/block/load/job", text);
      assertThatThrownBy(() -> blocks().named(name("4/abc", 3, 9), 5000))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(text + ", and this version reads ")
          .hasMessageContaining("=true or false; ");
    }
  }
}
