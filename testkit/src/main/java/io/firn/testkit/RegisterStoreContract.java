package io.firn.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The contract of every {@link RegisterStore}. The author of a store extends it, implements {@link
 * #open} and runs it against a real store:
 *
 * <pre>{@code
 * class MyRegisterStoreTest extends RegisterStoreContract {
 *   @Override
 *   protected RegisterStore open() {
 *     return new MyRegisterStore(directory);
 *   }
 * }
 * }</pre>
 *
 * <p>More tests come with what the store can do:
 *
 * <ul>
 *   <li>A store behind a server that the test can kill extends {@link RemoteRegisterStoreContract}.
 *   <li>A store with a clock of its own also implements {@link StoreClockContract}.
 *   <li>A store with an identity also implements {@link StoreIdentityContract}.
 *   <li>A store that may forget also implements {@link ForgettingStoreContract}.
 * </ul>
 *
 * <p>All names begin with a random word, so nothing has to be deleted between tests. The tests that
 * write concurrently or break connections record every call with its times. They check that
 * registers can have answered like that, so they find stale reads, lost writes, conflicts without a
 * reason, and writes that were applied although the store reported the opposite.
 */
public abstract class RegisterStoreContract extends LeaseContract {

  private static final int COMPETITORS = 16;

  /** For subclasses. */
  protected RegisterStoreContract() {}

  /**
   * Returns how often each of 16 concurrent clients tries to write. A store whose writes wait for a
   * disk returns a smaller number.
   */
  protected int attemptsPerThread() {
    return 10_000;
  }

  @Test
  void registerThatWasNeverWrittenIsNotThere() {
    assertEquals(Optional.empty(), store().read(name("a")));
    assertEquals(List.of(), store().scan(name("")));
  }

  @Test
  void writtenRegisterIsReadByEveryClient() throws Exception {
    long version = write(name("a"), 0, "one");

    Register written = new Register(name("a"), version, "one");
    assertEquals(Optional.of(written), store().read(name("a")));
    assertEquals(Optional.of(written), openAnother().read(name("a")));
  }

  @Test
  void registersOutliveTheClientThatWroteThem() throws Exception {
    RegisterStore client = openAnother();
    WriteResult result = client.compareAndSet(name("a"), 0, "one");
    client.close();

    assertEquals(
        Optional.of(new Register(name("a"), result.version(), "one")), store().read(name("a")));
  }

  @Test
  void versionIsNeverZeroAndGrowsWithEveryWrite() {
    long last = 0;
    for (int i = 0; i < 50; i++) {
      long version = write(name("a"), last, "v" + i);
      assertTrue(version > last, last + " is followed by " + version);
      assertEquals(version, store().read(name("a")).orElseThrow().version());
      last = version;
    }
  }

  @Test
  void writeOfTheSameValueIsAWrite() {
    long first = write(name("a"), 0, "same");
    long second = write(name("a"), first, "same");

    assertNotEquals(first, second);
    assertEquals(WriteResult.CONFLICT, store().compareAndSet(name("a"), first, "same"));
  }

  @Test
  void writeThatExpectsAnotherVersionIsAConflictAndChangesNothing() {
    long first = write(name("a"), 0, "one");
    long second = write(name("a"), first, "two");

    for (long wrong : new long[] {0, first, second + 1, Long.MAX_VALUE}) {
      assertEquals(WriteResult.CONFLICT, store().compareAndSet(name("a"), wrong, "three"));
    }
    assertEquals(Optional.of(new Register(name("a"), second, "two")), store().read(name("a")));
  }

  @Test
  void registerThatIsNotThereIsOnlyWrittenByWhoExpectsNone() {
    for (long wrong : new long[] {1, 2, Long.MAX_VALUE}) {
      assertEquals(WriteResult.CONFLICT, store().compareAndSet(name("a"), wrong, "one"));
    }
    assertEquals(Optional.empty(), store().read(name("a")));
  }

  /** Names that some software treats as special. */
  private static final List<String> ODD =
      List.of(
          "plain",
          "Plain",
          "with space",
          "a/b/c",
          "a/b",
          "/",
          "//",
          ".",
          "..",
          "../up",
          "a+b",
          "a%2Fb",
          "%",
          "*",
          "a*",
          "[a]",
          "{a,b}",
          "?",
          "\\",
          "'",
          "\"",
          "`$(x)`",
          ";",
          "\t",
          "\n",
          "\u0001",
          "ä",
          "a\u0308",
          "日本",
          "\ud83d\ude00",
          "-",
          "--x",
          "~",
          "#",
          "con",
          ".register",
          "x.register",
          "next",
          "lock");

  @Test
  void namesMayBeAnyText() {
    Map<String, String> written = new HashMap<>();
    for (String odd : ODD) {
      write(name(odd), 0, "value of " + odd);
      written.put(name(odd), "value of " + odd);
    }

    written.forEach(
        (name, value) -> assertEquals(value, store().read(name).orElseThrow().value(), name));
    assertEquals(written, values(store().readAll(List.copyOf(written.keySet()))));
    assertEquals(written, values(store().scan(name(""))));
  }

  private static Map<String, String> values(List<Register> registers) {
    return registers.stream().collect(Collectors.toMap(Register::name, Register::value));
  }

  @Test
  void valuesMayBeAnyText() {
    long version = 0;
    for (String value :
        List.of(
            "",
            " ",
            "\n",
            "\r\n",
            " lines\n\nand more\n",
            "\t",
            "\u0001",
            "'\"\\`$;--",
            "null",
            "ä日本\ud83d\ude00",
            "\ufeffbom",
            "1",
            "0",
            "\u2028",
            "%s {} ?")) {
      version = write(name("a"), version, value);
      assertEquals(value, store().read(name("a")).orElseThrow().value());
      assertEquals(value, store().scan(name("a")).get(0).value());
    }
  }

  @Test
  void longestValueIsKeptAndALongerOneRefused() {
    for (String unit : List.of("x", "日", "\ud83d\ude00")) {
      String longest = unit.repeat(RegisterStore.MAX_VALUE_LENGTH / unit.length());
      String name = name("long " + unit);
      long version = write(name, 0, longest.substring(unit.length()));
      version = write(name, version, longest);
      assertEquals(longest, store().read(name).orElseThrow().value());
      long now = version;
      assertThrows(
          IllegalArgumentException.class, () -> store().compareAndSet(name, now, longest + "x"));
      assertEquals(version, store().read(name).orElseThrow().version());
    }
  }

  @Test
  void longestNameIsKeptAndALongerOneRefused() {
    String longest = name("n".repeat(RegisterStore.MAX_NAME_LENGTH - name("").length()));
    write(longest.substring(1), 0, "shorter");
    write(longest, 0, "longest");

    assertEquals("longest", store().read(longest).orElseThrow().value());
    assertThrows(
        IllegalArgumentException.class, () -> store().compareAndSet(longest + "n", 0, "x"));
    assertThrows(IllegalArgumentException.class, () -> store().read(longest + "n"));
    assertThrows(IllegalArgumentException.class, () -> store().compareAndSet("", 0, "x"));
    assertThrows(IllegalArgumentException.class, () -> store().read(""));
  }

  @Test
  void severalRegistersAreReadAtOnceAndThoseThatAreNotThereLeftOut() {
    Set<Register> written = new HashSet<>();
    for (String rest : List.of("a", "b", "c")) {
      written.add(new Register(name(rest), write(name(rest), 0, rest), rest));
    }

    List<Register> some = store().readAll(List.of(name("c"), name("x"), name("a"), name("b/")));
    written.removeIf(register -> register.value().equals("b"));
    assertEquals(written, Set.copyOf(some));
    assertEquals(2, some.size());
    assertEquals(List.of(), store().readAll(List.of()));
    assertEquals(List.of(), store().readAll(List.of(name("x"))));
    assertEquals(
        List.of(store().read(name("b")).orElseThrow()), store().readAll(List.of(name("b"))));
    assertThrows(
        IllegalArgumentException.class, () -> store().readAll(List.of(name("a"), name("\ud83d"))));
    assertThrows(IllegalArgumentException.class, () -> store().readAll(List.of("")));
  }

  @Test
  void aHundredRegistersAreReadAtOnce() {
    Set<Register> written = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      String name = name("hundred/" + i);
      written.add(new Register(name, write(name, 0, "v" + i), "v" + i));
    }

    List<Register> read = store().readAll(written.stream().map(Register::name).toList());
    assertEquals(100, read.size());
    assertEquals(written, Set.copyOf(read));
  }

  @Test
  void readOfSeveralSeesWhatWasAcknowledgedBefore() throws Exception {
    RegisterStore other = openAnother();
    List<String> names = List.of(name("a"), name("b"));
    long version = 0;
    for (int i = 0; i < 50; i++) {
      version = write(name("b"), version, "v" + i);
      assertEquals(List.of(new Register(name("b"), version, "v" + i)), other.readAll(names));
    }
  }

  @Test
  void halfACharacterAndZeroAreRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> store().compareAndSet(name("\ud83d"), 0, "x"));
    assertThrows(
        IllegalArgumentException.class, () -> store().compareAndSet(name("a"), 0, "\ude00"));
    assertThrows(IllegalArgumentException.class, () -> store().compareAndSet(name("\0"), 0, "x"));
    assertThrows(IllegalArgumentException.class, () -> store().compareAndSet(name("a"), 0, "\0"));
    assertEquals(Optional.empty(), store().read(name("a")));
  }

  @Test
  void scanFindsTheNamesThatBeginWithThePrefixAndNoOthers() {
    for (String rest : List.of("a/1", "a/2", "a/10", "ab/1", "b/1", "A/1", "a")) {
      write(name(rest), 0, rest);
    }

    assertEquals(List.of("a/1", "a/10", "a/2"), scanned("a/"));
    assertEquals(List.of("a", "a/1", "a/10", "a/2", "ab/1"), scanned("a"));
    assertEquals(List.of("a/1", "a/10"), scanned("a/1"));
    assertEquals(List.of("A/1", "a", "a/1", "a/10", "a/2", "ab/1", "b/1"), scanned(""));
    assertEquals(List.of(), scanned("c"));
    assertTrue(
        store().scan("").stream().anyMatch(register -> register.name().equals(name("a/10"))));
  }

  private List<String> scanned(String prefix) {
    return store().scan(name(prefix)).stream()
        .map(register -> register.name().substring(name("").length()))
        .sorted()
        .toList();
  }

  @Test
  void prefixHoldsNoPattern() {
    write(name("aXb"), 0, "");
    write(name("a_b"), 0, "");
    write(name("a%b"), 0, "");

    for (String prefix : List.of("a_", "a%")) {
      assertEquals(List.of(prefix + "b"), scanned(prefix));
    }
    for (String pattern : List.of("a*", "a?", "[a]", "a.", "^a", "{a}", "a\\")) {
      assertEquals(List.of(), scanned(pattern));
    }
  }

  @Test
  void scanFindsAThousandRegisters() {
    for (int i = 0; i < 1_000; i++) {
      write(name("many/" + i), 0, "v" + i);
    }

    List<Register> found = store().scan(name("many/"));
    assertEquals(1_000, found.stream().map(Register::name).distinct().count());
    assertEquals(1_000, found.size());
    for (Register register : found) {
      assertEquals(register, store().read(register.name()).orElseThrow());
    }
  }

  @Test
  void scanShowsWhatWasAcknowledgedBeforeItIfItIsCurrent() throws Exception {
    RegisterStore other = openAnother();
    for (int i = 0; other.isScanCurrent() && i < 100; i++) {
      String name = name("current/" + i % 20);
      long version = store().read(name).map(Register::version).orElse(0L);
      Register written = new Register(name, write(name, version, "v" + i), "v" + i);
      assertTrue(other.scan(name("current/")).contains(written));
    }
  }

  @Test
  void scanWhileOthersWriteShowsOnlyWhatWasWritten() throws Exception {
    int registers = 20;
    List<Long> versions = new ArrayList<>();
    for (int i = 0; i < registers; i++) {
      versions.add(write(name("s/" + i), 0, i + " 0"));
    }
    AtomicBoolean stop = new AtomicBoolean();
    RegisterStore writer = openAnother();
    TestThreads threads = new TestThreads();
    threads.start(
        () -> {
          for (int round = 1; !stop.get(); round++) {
            int i = round % registers;
            WriteResult result =
                writer.compareAndSet(name("s/" + i), versions.get(i), i + " " + round);
            if (result.outcome() == Outcome.APPLIED) {
              versions.set(i, result.version());
            }
          }
        });
    try {
      for (int scan = 0; scan < 50; scan++) {
        for (Register register : store().scan(name("s/"))) {
          String number = register.name().substring(name("s/").length());
          assertTrue(register.value().matches(number + " \\d+"), register::toString);
        }
      }
    } finally {
      stop.set(true);
      threads.join();
    }
    assertEquals(registers, store().scan(name("s/")).size());
  }

  /** Each call at one moment between its start and its end; see {@link RegisterHistory}. */
  @Test
  void callsOfManyClientsAreLinearizable() throws Exception {
    Competition competition = new Competition(openMore(COMPETITORS), name("contested/"));
    competition.run(Sizes.deep(Math.max(100, attemptsPerThread() / 10), attemptsPerThread()));
    competition.check(store(), false);
  }

  @Test
  void interruptedThreadGetsTheOutcomeOfItsWriteAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    WriteResult result = store().compareAndSet(name("a"), 0, "x");
    assertTrue(Thread.currentThread().isInterrupted());
    assertEquals(Outcome.APPLIED, result.outcome());
    Optional<Register> read = store().read(name("a"));
    assertTrue(Thread.interrupted());
    assertEquals(Optional.of(new Register(name("a"), result.version(), "x")), read);
  }

  @Test
  void clientMayBeClosedTwice() throws Exception {
    RegisterStore used = openAnother();
    used.read(name("a"));
    used.close();
    used.close();
    RegisterStore unused = openAnother();
    unused.close();
    unused.close();
  }

  @Test
  void reportsWhetherItMayForget() {
    assertEquals(this instanceof ForgettingStoreContract, store().mayForget());
  }

  @Test
  void hasASnapshotIfItHasAnIdentity() {
    assertEquals(
        this instanceof StoreIdentityContract, store().snapshot(List.of(name("a"))).isPresent());
  }

  @Test
  void reportsATimeIfItHasAClock() {
    assertEquals(this instanceof StoreClockContract, store().currentTimeMillis().isPresent());
  }

  @Test
  void saysWhichStoreItIs() {
    assertTrue(store().toString().contains(":"), store()::toString);
    assertFalse(store().toString().startsWith(store().getClass().getName()), store()::toString);
  }
}
