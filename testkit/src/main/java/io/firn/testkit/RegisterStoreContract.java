package io.firn.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.lease.Register;
import io.firn.lease.RegisterSegments;
import io.firn.lease.RegisterStore;
import io.firn.lease.StoreException;
import io.firn.lease.WorkerEntry;
import io.firn.lease.WriteResult;
import io.firn.lease.WriteResult.Outcome;
import io.firn.segment.Segment;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * What every {@link RegisterStore} must do. A store's author extends it, says how a store is opened
 * and what it can do, and runs it against the real thing:
 *
 * <pre>{@code
 * class MyRegisterStoreTest extends RegisterStoreContract {
 *   @Override
 *   protected RegisterStore open() {
 *     return new MyRegisterStore(server.address());
 *   }
 * }
 * }</pre>
 *
 * <p>What else the store can do it says by overriding more, and the contract tests that too: {@link
 * #hasClock}; {@link #mayForget} with {@link #forgetAll}; {@link #server} with {@link
 * #open(InetSocketAddress)} and {@link #callTimeout}, for a store that is reached over TCP; {@link
 * #restarts} with {@link #killAndRestart}, for one whose server the test can kill. A test of what a
 * store has not got tries nothing.
 *
 * <p>All names begin with a random word, so that nothing need be deleted between tests. The
 * competition and whatever breaks connections writes every call down with its times, and judges
 * whether registers can have done that: a stale read, a lost write, a conflict for nothing and a
 * write that was applied against its outcome are found wherever they happen.
 */
public abstract class RegisterStoreContract {

  private static final int COMPETITORS = 16;
  private static final int WRITERS_AT_A_KILL = 8;
  private static final int KILLS = 2;
  private static final int WRITES_BETWEEN_KILLS = 20;
  private static final IdLayout LAYOUT = IdLayout.of("41t+3w+19s@2026-01-01T00:00:00Z/1ms");

  private final List<RegisterStore> opened = new ArrayList<>();
  private final String word = Long.toHexString(TimeSource.system().random(1L << 60));
  private RegisterStore store;

  /** For subclasses. */
  protected RegisterStoreContract() {}

  /** Opens a client. All clients of one test see the same registers. */
  protected abstract RegisterStore open() throws Exception;

  /** Whether the store has a clock of its own. */
  protected boolean hasClock() {
    return false;
  }

  /** Whether the store may forget. */
  protected boolean mayForget() {
    return false;
  }

  /** Makes a store that may forget lose every register, behind the back of its clients. */
  protected void forgetAll() throws Exception {
    throw new UnsupportedOperationException("forgetAll: not overridden (expected: it is)");
  }

  /**
   * How often each of 16 clients tries to write when they compete; fewer where a write waits for a
   * disk.
   */
  protected int attemptsPerThread() {
    return 10_000;
  }

  /**
   * Where the store's server listens, if clients reach it over TCP. Then the contract puts a {@link
   * CuttingProxy} before it and demands of a client:
   *
   * <ul>
   *   <li>a write whose reply is lost is {@link Outcome#UNKNOWN}, or applied if the client finds
   *       out; it is applied once; it is never called a conflict, as by a client library that sends
   *       it again, and no {@link StoreException};
   *   <li>while connections are refused, a read is a {@link StoreException}, and a write too unless
   *       it is unknown;
   *   <li>while the server is silent, the same, in no more than twice {@link #callTimeout};
   *   <li>the same client works again within ten seconds when its server does;
   *   <li>once closed, it throws {@link IllegalStateException}.
   * </ul>
   */
  protected Optional<InetSocketAddress> server() {
    return Optional.empty();
  }

  /**
   * Opens a client that finds the server of {@link #server} at that address, which is on the
   * loopback interface. It does not connect: the first call does.
   */
  protected RegisterStore open(InetSocketAddress address) throws Exception {
    throw new UnsupportedOperationException("open: no address (expected: overridden as server is)");
  }

  /** How long a call takes at most as the clients are configured; up to twice that is forgiven. */
  protected Duration callTimeout() {
    return Duration.ofSeconds(5);
  }

  /** How soon a client must work again by itself when its server does. */
  Duration maxRecovery() {
    return Duration.ofSeconds(10);
  }

  /** Whether {@link #killAndRestart} can be called. */
  protected boolean restarts() {
    return false;
  }

  /**
   * Kills the server with SIGKILL, starts it again at the same address, and returns when it
   * answers. Is called while clients write. What they were told is applied must be there
   * afterwards, unless the store {@link #mayForget}; then no version may come twice.
   */
  protected void killAndRestart() throws Exception {
    throw new UnsupportedOperationException("killAndRestart: missing (expected: as restarts says)");
  }

  @BeforeEach
  void openStore() throws Exception {
    store = openAnother();
  }

  private RegisterStore openAnother() throws Exception {
    return opened(open());
  }

  private List<RegisterStore> openMore(int count) throws Exception {
    List<RegisterStore> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      clients.add(openAnother());
    }
    return clients;
  }

  private RegisterStore opened(RegisterStore client) {
    opened.add(client);
    return client;
  }

  @AfterEach
  void closeStores() {
    opened.forEach(RegisterStore::close);
  }

  private String name(String rest) {
    return word + "/" + rest;
  }

  private long write(String name, long expectedVersion, String value) {
    WriteResult result = store.compareAndSet(name, expectedVersion, value);
    assertEquals(Outcome.APPLIED, result.outcome(), () -> "write of " + name);
    return result.version();
  }

  @Test
  void registerThatWasNeverWrittenIsNotThere() {
    assertEquals(Optional.empty(), store.read(name("a")));
    assertEquals(List.of(), store.scan(name("")));
  }

  @Test
  void writtenRegisterIsReadByEveryClient() throws Exception {
    long version = write(name("a"), 0, "one");

    Register written = new Register(name("a"), version, "one");
    assertEquals(Optional.of(written), store.read(name("a")));
    assertEquals(Optional.of(written), openAnother().read(name("a")));
  }

  @Test
  void registersOutliveTheClientThatWroteThem() throws Exception {
    RegisterStore client = openAnother();
    WriteResult result = client.compareAndSet(name("a"), 0, "one");
    client.close();

    assertEquals(
        Optional.of(new Register(name("a"), result.version(), "one")), store.read(name("a")));
  }

  @Test
  void versionIsNeverZeroAndGrowsWithEveryWrite() {
    long last = 0;
    for (int i = 0; i < 50; i++) {
      long version = write(name("a"), last, "v" + i);
      assertTrue(version > last, last + " is followed by " + version);
      assertEquals(version, store.read(name("a")).orElseThrow().version());
      last = version;
    }
  }

  @Test
  void writeOfTheSameValueIsAWrite() {
    long first = write(name("a"), 0, "same");
    long second = write(name("a"), first, "same");

    assertNotEquals(first, second);
    assertEquals(WriteResult.CONFLICT, store.compareAndSet(name("a"), first, "same"));
  }

  @Test
  void writeThatExpectsAnotherVersionIsAConflictAndChangesNothing() {
    long first = write(name("a"), 0, "one");
    long second = write(name("a"), first, "two");

    for (long wrong : new long[] {0, first, second + 1, Long.MAX_VALUE}) {
      assertEquals(WriteResult.CONFLICT, store.compareAndSet(name("a"), wrong, "three"));
    }
    assertEquals(Optional.of(new Register(name("a"), second, "two")), store.read(name("a")));
  }

  @Test
  void registerThatIsNotThereIsOnlyWrittenByWhoExpectsNone() {
    for (long wrong : new long[] {1, 2, Long.MAX_VALUE}) {
      assertEquals(WriteResult.CONFLICT, store.compareAndSet(name("a"), wrong, "one"));
    }
    assertEquals(Optional.empty(), store.read(name("a")));
  }

  /** Names that somebody takes for something else. */
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
        (name, value) -> assertEquals(value, store.read(name).orElseThrow().value(), name));
    assertEquals(written, values(store.readAll(List.copyOf(written.keySet()))));
    assertEquals(written, values(store.scan(name(""))));
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
      assertEquals(value, store.read(name("a")).orElseThrow().value());
      assertEquals(value, store.scan(name("a")).get(0).value());
    }
  }

  @Test
  void longestValueIsKeptAndALongerOneRefused() {
    for (String unit : List.of("x", "日", "\ud83d\ude00")) {
      String longest = unit.repeat(RegisterStore.MAX_VALUE_LENGTH / unit.length());
      String name = name("long " + unit);
      long version = write(name, 0, longest.substring(unit.length()));
      version = write(name, version, longest);
      assertEquals(longest, store.read(name).orElseThrow().value());
      long now = version;
      assertThrows(
          IllegalArgumentException.class, () -> store.compareAndSet(name, now, longest + "x"));
      assertEquals(version, store.read(name).orElseThrow().version());
    }
  }

  @Test
  void longestNameIsKeptAndALongerOneRefused() {
    String longest = name("n".repeat(RegisterStore.MAX_NAME_LENGTH - name("").length()));
    write(longest.substring(1), 0, "shorter");
    write(longest, 0, "longest");

    assertEquals("longest", store.read(longest).orElseThrow().value());
    assertThrows(IllegalArgumentException.class, () -> store.compareAndSet(longest + "n", 0, "x"));
    assertThrows(IllegalArgumentException.class, () -> store.read(longest + "n"));
    assertThrows(IllegalArgumentException.class, () -> store.compareAndSet("", 0, "x"));
    assertThrows(IllegalArgumentException.class, () -> store.read(""));
  }

  @Test
  void severalRegistersAreReadAtOnceAndThoseThatAreNotThereLeftOut() {
    Set<Register> written = new HashSet<>();
    for (String rest : List.of("a", "b", "c")) {
      written.add(new Register(name(rest), write(name(rest), 0, rest), rest));
    }

    List<Register> some = store.readAll(List.of(name("c"), name("x"), name("a"), name("b/")));
    written.removeIf(register -> register.value().equals("b"));
    assertEquals(written, Set.copyOf(some));
    assertEquals(2, some.size());
    assertEquals(List.of(), store.readAll(List.of()));
    assertEquals(List.of(), store.readAll(List.of(name("x"))));
    assertEquals(List.of(store.read(name("b")).orElseThrow()), store.readAll(List.of(name("b"))));
    assertThrows(
        IllegalArgumentException.class, () -> store.readAll(List.of(name("a"), name("\ud83d"))));
    assertThrows(IllegalArgumentException.class, () -> store.readAll(List.of("")));
  }

  @Test
  void aHundredRegistersAreReadAtOnce() {
    Set<Register> written = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      String name = name("hundred/" + i);
      written.add(new Register(name, write(name, 0, "v" + i), "v" + i));
    }

    List<Register> read = store.readAll(written.stream().map(Register::name).toList());
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
    assertThrows(IllegalArgumentException.class, () -> store.compareAndSet(name("\ud83d"), 0, "x"));
    assertThrows(IllegalArgumentException.class, () -> store.compareAndSet(name("a"), 0, "\ude00"));
    assertThrows(IllegalArgumentException.class, () -> store.compareAndSet(name("\0"), 0, "x"));
    assertThrows(IllegalArgumentException.class, () -> store.compareAndSet(name("a"), 0, "\0"));
    assertEquals(Optional.empty(), store.read(name("a")));
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
    assertTrue(store.scan("").stream().anyMatch(register -> register.name().equals(name("a/10"))));
  }

  private List<String> scanned(String prefix) {
    return store.scan(name(prefix)).stream()
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

    List<Register> found = store.scan(name("many/"));
    assertEquals(1_000, found.stream().map(Register::name).distinct().count());
    assertEquals(1_000, found.size());
    for (Register register : found) {
      assertEquals(register, store.read(register.name()).orElseThrow());
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
    Crowd crowd = new Crowd();
    crowd.start(
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
        for (Register register : store.scan(name("s/"))) {
          String number = register.name().substring(name("s/").length());
          assertTrue(register.value().matches(number + " \\d+"), register::toString);
        }
      }
    } finally {
      stop.set(true);
      crowd.join();
    }
    assertEquals(registers, store.scan(name("s/")).size());
  }

  /** Each call at one moment between its begin and its end; see {@link RegisterHistory}. */
  @Test
  void callsOfManyClientsAreLinearizable() throws Exception {
    Competition competition = new Competition(openMore(COMPETITORS), name("contested/"));
    competition.run(attemptsPerThread());
    competition.check(store, false);
  }

  /** A store that forgets with its server has then still never used a version twice. */
  @Test
  void acknowledgedWritesOutliveTheServerThatIsKilled() throws Exception {
    if (!restarts()) {
      return;
    }
    Competition competition = new Competition(openMore(WRITERS_AT_A_KILL), name("killed/"));
    competition.start();
    try {
      for (int kill = 0; kill < KILLS; kill++) {
        competition.awaitWrites(WRITES_BETWEEN_KILLS, maxRecovery());
        killAndRestart();
      }
      competition.awaitWrites(WRITES_BETWEEN_KILLS, maxRecovery());
    } finally {
      competition.stop();
    }
    competition.check(openAnother(), mayForget());
  }

  @Test
  void writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict() throws Exception {
    if (server().isPresent()) {
      try (Outage outage = outage()) {
        outage.losesReplies();
      }
    }
  }

  @Test
  void refusedConnectionIsToldInTimeAndTheClientComesBack() throws Exception {
    if (server().isPresent()) {
      try (Outage outage = outage()) {
        outage.refusesConnections(hasClock());
      }
    }
  }

  @Test
  void silentServerIsNotWaitedForLongerThanSaid() throws Exception {
    if (server().isPresent()) {
      try (Outage outage = outage()) {
        outage.stalls();
      }
    }
  }

  @Test
  void interruptedThreadLearnsWhatBecameOfItsWriteAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    WriteResult result = store.compareAndSet(name("a"), 0, "x");
    assertTrue(Thread.currentThread().isInterrupted());
    assertEquals(Outcome.APPLIED, result.outcome());
    Optional<Register> read = store.read(name("a"));
    assertTrue(Thread.interrupted());
    assertEquals(Optional.of(new Register(name("a"), result.version(), "x")), read);
  }

  @Test
  void closedClientSaysSo() throws Exception {
    RegisterStore used = openAnother();
    used.read(name("a"));
    saysThatItIsClosed(used);
    saysThatItIsClosed(openAnother());
  }

  private void saysThatItIsClosed(RegisterStore client) {
    client.close();
    client.close();
    if (server().isPresent()) {
      for (Executable call :
          List.<Executable>of(
              () -> client.read(name("a")),
              () -> client.scan(name("")),
              () -> client.compareAndSet(name("a"), 0, "x"))) {
        assertEquals(
            "store: " + client + " is closed (expected: open)",
            assertThrows(IllegalStateException.class, call).getMessage());
      }
    }
  }

  private Outage outage() throws Exception {
    return new Outage(
        server().orElseThrow(),
        address -> opened(open(address)),
        name(""),
        callTimeout().multipliedBy(2),
        maxRecovery());
  }

  @Test
  void tellsWhetherItMayForget() {
    assertEquals(mayForget(), store.mayForget());
  }

  @Test
  void forgottenRegisterNeverComesBackToAVersionThatItHad() throws Exception {
    long version = 0;
    for (int i = 0; i < 10; i++) {
      version = write(name("a"), version, "before " + i);
    }
    if (mayForget()) {
      forgetAll();
      assertEquals(Optional.empty(), store.read(name("a")));
      assertEquals(WriteResult.CONFLICT, store.compareAndSet(name("a"), version, "x"));
      assertTrue(write(name("a"), 0, "after") > version, "a version was used twice");
    } else {
      assertEquals(version, store.read(name("a")).orElseThrow().version());
    }
  }

  @Test
  void clockOfTheStoreRunsIfItHasOne() {
    OptionalLong first = store.currentTimeMillis();
    assertEquals(hasClock(), first.isPresent());
    if (first.isPresent()) {
      park(Duration.ofMillis(50));
      long passed = store.currentTimeMillis().orElseThrow() - first.getAsLong();
      assertTrue(passed >= 40 && passed < 10_000, () -> "in 50 ms it passed " + passed + " ms");
    }
  }

  @Test
  void saysWhichStoreItIs() {
    assertTrue(store.toString().contains(":"), store::toString);
    assertFalse(store.toString().startsWith(store.getClass().getName()), store::toString);
  }

  @Test
  void manyNamespacesShareAStore() {
    for (int i = 0; i < 20; i++) {
      String namespace = word + "-" + i;
      try (Snowflake snowflake =
          Snowflake.builder().layout(LAYOUT).lease(store, namespace).build()) {
        snowflake.nextId();
      }
      assertEquals(1, Namespace.of(store, namespace).workers().size());
      assertEquals(Optional.of(LAYOUT), Namespace.of(store, namespace).layout());
    }
    assertEquals(20, Namespace.names(store).stream().filter(name -> name.startsWith(word)).count());
  }

  /** The texts that release 0.1 wrote are read for ever, out of every store. */
  @Test
  void recordsOfEveryReleaseAreReadAndLeasedFrom() throws Exception {
    write(word + "/layout", 0, record("namespace-1"));
    write(word + "/worker/3", 0, record("worker-1-held"));
    write(word + "/worker/4", 0, record("worker-1-released"));
    Optional<Instant> since = Optional.of(Instant.parse("2026-10-31T23:12:00.456Z"));
    Instant fence = Instant.parse("2026-11-01T00:00:30.123Z");
    WorkerEntry held = new WorkerEntry(3, true, since, fence, "host-0", 4711);
    WorkerEntry released =
        new WorkerEntry(4, false, since, Instant.parse("2026-11-01T00:00:07.001Z"), "host-0", 4711);

    Namespace namespace = Namespace.of(store, word);
    assertEquals(Optional.of(IdLayout.CLASSIC), namespace.layout());
    assertEquals(List.of(held, released), namespace.workers());
    for (WorkerEntry before : List.of(held, released)) {
      LeaseConfig lease =
          LeaseConfig.builder(openAnother(), word).worker(before.worker()).instance("new").build();
      try (Snowflake snowflake =
          Snowflake.builder().layout(IdLayout.CLASSIC).lease(lease).build()) {
        Instant time = IdLayout.CLASSIC.parse(snowflake.nextId()).instant();
        assertFalse(time.isBefore(before.fence()), () -> time + " of " + before);
      }
    }
    assertTrue(namespace.workers().stream().allMatch(now -> now.holder().equals("new")));
    write(word + "/segment", 0, record("segment-1"));
    assertEquals(Segment.of(51_000, 10), RegisterSegments.of(store).next(word, 10));
  }

  private static String record(String name) throws IOException {
    try (InputStream in = RegisterStoreContract.class.getResourceAsStream("records/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void segmentsOfSeveralProcessesAreHandedOutOnceAndLeaveNothingOut() throws Exception {
    int processes = 4;
    int each = 20;
    Set<Segment> segments = ConcurrentHashMap.newKeySet();
    Crowd crowd = new Crowd();
    for (int i = 0; i < processes; i++) {
      RegisterSegments source = RegisterSegments.of(openAnother());
      crowd.start(
          () -> {
            for (int j = 0; j < each; j++) {
              segments.add(source.next(word, 10));
            }
          });
    }
    crowd.join();
    Set<Segment> all =
        LongStream.range(0, (long) processes * each)
            .mapToObj(i -> Segment.of(1 + 10 * i, 10))
            .collect(Collectors.toSet());
    assertEquals(all, segments);
  }

  @Test
  void generatorsThatComeAndGoIssueNoIdTwice() throws Exception {
    int generators = 6;
    try (IdHistory history = new IdHistory(generators, 24L << 20)) {
      Crowd crowd = new Crowd();
      for (int i = 0; i < generators; i++) {
        IdHistory.Writer writer = history.newWriter();
        RegisterStore client = openAnother();
        int number = i;
        crowd.start(() -> comeAndGo(client, writer, number));
      }
      crowd.join();
      IdHistory.Report report = history.finish();
      assertEquals(0, report.duplicates(), report::toString);
      assertTrue(report.count() >= generators * 60L * 100, report::toString);
    }
    for (WorkerEntry worker : Namespace.of(store, word).workers()) {
      assertFalse(worker.held(), worker::toString);
    }
  }

  /** Three generators, one after the other, each for longer than two of its windows. */
  private void comeAndGo(RegisterStore client, IdHistory.Writer writer, int number) {
    long[] ids = new long[100];
    for (int life = 0; life < 3; life++) {
      LeaseConfig lease =
          LeaseConfig.builder(client, word)
              .instance("contract-" + number)
              .window(Duration.ofMillis(400))
              .acquireTimeout(Duration.ofSeconds(20))
              .build();
      try (Snowflake snowflake =
          Snowflake.builder().layout(LAYOUT).maxWait(Duration.ofSeconds(20)).lease(lease).build()) {
        for (int batch = 0; batch < 20; batch++) {
          snowflake.nextIds(ids, 0, ids.length);
          writer.add(ids, 0, ids.length);
          park(Duration.ofMillis(50));
        }
      }
    }
  }

  private static void park(Duration duration) {
    TimeSource time = TimeSource.system();
    long end = time.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - time.nanoTime()) {
      time.parkNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(10)));
    }
  }
}
