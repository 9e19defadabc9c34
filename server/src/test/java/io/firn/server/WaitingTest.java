package io.firn.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.redis.RedisProtocol;
import io.firn.testkit.SwitchedStore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.FastThreadLocal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that wait, on a clock that is stopped until the test moves it. */
@Timeout(300)
final class WaitingTest {

  /** As many as each of the most loops a server has gets two of. */
  private static final int CLIENTS = 16;

  private static final String BULK = "NEXT bulk COUNT 10000\r\n";

  private final HeldClock clock = new HeldClock();
  private final String sourceName = "waiting-" + System.nanoTime();
  private final SwitchedStore source = SwitchedStores.named(sourceName);
  private final List<RawClient> clients = new ArrayList<>();
  private final RunningServer server =
      RunningServer.start(
          "redis",
          RedisProtocol::new,
          clock,
          "namespaces:",
          "  bulk: {layout: classic}",
          "  other: {sequence-start: zero}",
          "  slow: {layout: game}",
          "  narrow: {layout: yitter}",
          "  numbers: {type: segment, source: 'switched:" + sourceName + "', step: 10}");

  @AfterEach
  void close() {
    source.letGo();
    clients.forEach(RawClient::close);
    server.close();
    FastThreadLocal.removeAll(); // turns of a channel that is gone
  }

  private RawClient connect() {
    RawClient client = server.connect();
    clients.add(client);
    return client;
  }

  private List<RawClient> connect(int count) {
    return IntStream.range(0, count).mapToObj(i -> connect()).toList();
  }

  /** Takes all that the source has given, and lets it give no more. */
  private void exhaustNumbers() {
    source.hold();
    assertThat(connect().send("NEXT numbers COUNT 10\r\n").line()).isEqualTo("*10");
  }

  private static void expectIds(RawClient client, int count) {
    assertThat(client.line()).isEqualTo("*" + count);
    long last = -1;
    for (int i = 0; i < count; i++) {
      long id = Long.parseLong(client.line().substring(1));
      assertThat(id).isGreaterThan(last);
      last = id;
    }
  }

  /** Lets a tick pass, and waits until the server has used it, if someone waits for it. */
  private void passATick() throws InterruptedException {
    passATick(opened("bulk"));
  }

  /** As above, where ticks are of a millisecond. */
  private void passATick(OpenNamespace waited) throws InterruptedException {
    long before = issued(waited);
    clock.advance(Duration.ofMillis(1));
    do {
      TimeUnit.MILLISECONDS.sleep(1);
    } while (waited.waiting() > 0 && issued(waited) == before);
  }

  private OpenNamespace opened(String namespace) {
    return server.server().service().namespaces().opened(namespace);
  }

  private static long issued(OpenNamespace namespace) {
    return ((SnowflakeStatus) namespace.status()).stats().issued();
  }

  /** Lets ticks pass until the server has given what a client waits for. */
  private void expectIdsInTime(RawClient client, int count) throws Exception {
    while (client.available() == 0) {
      passATick();
    }
    expectIds(client, count);
  }

  @Test
  void forTicksDelayNoOtherNamespace() throws Exception {
    List<RawClient> waiting = connect(CLIENTS);
    waiting.forEach(client -> client.send(BULK));
    for (RawClient other : connect(CLIENTS)) {
      assertThat(other.send("INCR other\r\n").line()).startsWith(":");
    }
    for (RawClient client : waiting) {
      expectIdsInTime(client, 10_000);
    }
  }

  @Test
  void forOneIdHaveItInTheNextTick() throws Exception {
    List<RawClient> greedy = connect(CLIENTS);
    greedy.forEach(client -> client.send(BULK));
    RawClient modest = connect();
    awaitWaiting("bulk", CLIENTS);
    modest.send("INCR bulk\r\n");
    awaitWaiting("bulk", CLIENTS + 1);
    passATick();
    assertThat(modest.line()).startsWith(":");
  }

  /** The others together have as many IDs of a tick as one turn. */
  @Test
  void forManyIdsHaveThemWhileOthersWaitForAFew() throws Exception {
    OpenNamespace bulk = opened("bulk");
    CompletableFuture<long[]> many = bulk.nextIds(10_000);
    for (int i = 0; i < 2_000; i++) {
      bulk.nextIds(16);
    }
    while (!many.isDone()) {
      passATick();
    }
    assertThat(many.get()).hasSize(10_000).doesNotHaveDuplicates();
    assertThat(bulk.waiting()).isGreaterThan(1_000);
  }

  /** The layout has 40,960 IDs in the longest time that a request may wait. */
  @Test
  void forOneIdAreNotRefusedForThoseThatWantAllOfTheNextSeconds() {
    OpenNamespace slow = opened("slow");
    List<CompletableFuture<long[]>> many = new ArrayList<>();
    int count = 10_000;
    while (count > 16) {
      try {
        many.add(slow.nextIds(count));
      } catch (RequestException full) {
        count /= 2;
      }
    }
    assertThat(many).hasSizeGreaterThan(4);
    assertThat(slow.nextIds(1)).isNotDone();
  }

  /** A tick has 64 IDs, which is less than a turn. */
  @Test
  void forAFewIdsHaveHalfOfWhatNarrowTicksHave() throws Exception {
    OpenNamespace narrow = opened("narrow");
    CompletableFuture<long[]> many = narrow.nextIds(10_000);
    List<CompletableFuture<long[]>> few =
        IntStream.range(0, 100).mapToObj(i -> narrow.nextIds(16)).toList();
    for (int i = 0; i < 40; i++) {
      passATick(narrow);
    }
    assertThat(many).isNotDone();
    assertThat(few.stream().filter(CompletableFuture::isDone).count()).isBetween(75L, 90L);
  }

  /** It could not take the IDs of that time, which are lost. */
  @Test
  void areNotRefusedForTheTimeInWhichTheServerStoodStill() throws Exception {
    RawClient client = connect().send(BULK);
    awaitWaiting("bulk", 1);
    for (int i = 0; i < 2; i++) {
      clock.advance(Duration.ofSeconds(2));
      TimeUnit.MILLISECONDS.sleep(50);
    }
    expectIdsInTime(client, 10_000);
  }

  @Test
  void forASegmentEndTogether() throws Exception {
    exhaustNumbers();
    List<RawClient> waiting = connect(CLIENTS);
    waiting.forEach(client -> client.send("INCR numbers\r\n"));
    awaitWaiting("numbers", CLIENTS);
    while (opened("numbers").waiting() > 0) {
      clock.advance(Duration.ofMillis(10));
      TimeUnit.MILLISECONDS.sleep(1);
    }
    for (RawClient client : waiting) {
      assertThat(client.line())
          .startsWith("-TRYAGAIN No number of key numbers is left from switched:");
    }
  }

  @Test
  void endWhenTheClientLeaves() throws Exception {
    exhaustNumbers();
    List<RawClient> leaving = connect(CLIENTS);
    leaving.forEach(client -> client.send("NEXT numbers COUNT 100\r\n"));
    awaitWaiting("numbers", CLIENTS);
    leaving.forEach(RawClient::close);
    awaitWaiting("numbers", 0);
    RawClient staying = connect().send("INCR numbers\r\n");
    awaitWaiting("numbers", 1);
    source.letGo();
    assertThat(staying.line()).isEqualTo(":11");
  }

  @Test
  void inAScopeEndWhenTheClientLeaves() throws Exception {
    RawClient leaving = connect().send("NEXT slow COUNT 10000 SCOPE 60000\r\n");
    awaitWaiting("slow", 1);
    leaving.close();
    awaitWaiting("slow", 0);
  }

  @Test
  void areMeasuredSinceTheyWereRead() throws Exception {
    RawClient client = connect().send(BULK + "INCR other\r\nINCR other\r\nINCR other\r\n");
    awaitWaiting("bulk", 1);
    clock.advance(Duration.ofMillis(500));
    expectIdsInTime(client, 10_000);
    for (int i = 0; i < 3; i++) {
      assertThat(client.line()).startsWith(":");
    }
    Traffic traffic = server.server().service().traffic().get("redis");
    while (traffic.times().counts().stream().mapToLong(Long::longValue).sum() < 4) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    assertThat(Duration.ofNanos(traffic.times().sumNanos())).isGreaterThan(Duration.ofSeconds(2));
  }

  @Test
  void forTheLoopAreServedByTurnsOfAMillisecond() {
    Service service = server.server().service();
    AtomicInteger flushes = new AtomicInteger();
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void flush(ChannelHandlerContext ctx) {
                flushes.incrementAndGet();
                ctx.flush();
              }
            });
    Connection connection = LoneConnections.of(channel, service);
    new RedisProtocol(service).open(channel.pipeline(), connection);
    ByteBuf pings = Unpooled.copiedBuffer("PING\r\n".repeat(8), US_ASCII);
    channel.writeInbound(pings.retainedDuplicate());
    assertThat(flushes).hasValue(1);
    clock.advanceAtReadings(Duration.ofNanos(300_000));
    channel.writeInbound(pings);
    clock.advanceAtReadings(Duration.ZERO);
    assertThat(flushes.get() - 1).isBetween(2, 8);
    channel.finishAndReleaseAll();
  }

  @Test
  void forTheLoopAreServedBetweenTheCommandsOfATransaction() {
    Service service = server.server().service();
    EmbeddedChannel channel = new EmbeddedChannel();
    Connection connection = LoneConnections.of(channel, service);
    new RedisProtocol(service).open(channel.pipeline(), connection);
    String queued = "MULTI\r\n" + "PING\r\n".repeat(8);
    channel.writeInbound(Unpooled.copiedBuffer(queued, US_ASCII));
    channel.releaseOutbound();
    clock.advanceAtReadings(Duration.ofNanos(300_000));
    channel.writeInbound(Unpooled.copiedBuffer("EXEC\r\n", US_ASCII));
    StringBuilder answer = new StringBuilder();
    int parts = 0;
    while (answer.length() < 60) {
      channel.runPendingTasks();
      for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
        answer.append(part.toString(US_ASCII));
        part.release();
        parts++;
      }
    }
    clock.advanceAtReadings(Duration.ZERO);
    assertThat(answer).hasToString("*8\r\n" + "+PONG\r\n".repeat(8));
    assertThat(parts).as("turns").isBetween(2, 8);
    channel.finishAndReleaseAll();
  }

  private void awaitWaiting(String namespace, int requests) throws InterruptedException {
    while (opened(namespace).waiting() != requests) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }
}
