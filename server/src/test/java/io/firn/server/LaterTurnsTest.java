package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.time.TimeSource;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of how many turns a loop takes before it looks at the network again. */
@Timeout(60)
final class LaterTurnsTest {

  private final HeldClock time = new HeldClock();
  private final EventLoops loops = new EventLoops(1, TimeSource.system());
  private final EventLoop loop = loops.group().next();
  private final List<String> events = new ArrayList<>();

  @AfterEach
  void close() {
    loops.close();
  }

  private void add(LaterTurns.Turn turn) {
    add("client", turn);
  }

  private void add(String client, LaterTurns.Turn turn) {
    LaterTurns.of(LaterTurns.Kind.PIPELINE, false).add(loop, time::nanoTime, client, turn);
  }

  /** A turn that takes a third of what all take before the loop reads. */
  private void take(String name) {
    events.add(name);
    time.advance(Duration.ofNanos(66_667));
  }

  /** Connects at once, as the kernel does it, so that the loop finds a new connection. */
  private void connect(SocketAddress address) {
    take("connected");
    try {
      SocketChannel.open(address).close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theLoopLooksAtTheNetworkAfterAShareOfTurns() throws Exception {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Channel listener =
        Transport.listener()
            .group(loop)
            .handler(
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object accepted) {
                    events.add("accepted");
                    ((Channel) accepted).unsafe().closeForcibly();
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel();
    loop.execute(
        () -> {
          add(() -> connect(listener.localAddress()));
          for (String name : List.of("a", "b", "c", "d")) {
            add(() -> take(name));
          }
          add(() -> done.complete(null));
          assertThat(LaterTurns.of(LaterTurns.Kind.PIPELINE, false).isEmpty()).isFalse();
        });
    done.join();
    assertThat(events).containsExactly("connected", "a", "b", "accepted", "c", "d");
    listener.close().sync();
  }

  /** A turn that is due when it is told so. */
  private final class Late implements LaterTurns.Turn {

    private final String name;
    private final Semaphore looks = new Semaphore(0);
    private volatile boolean due;

    Late(String name) {
      this.name = name;
    }

    @Override
    public boolean isDue() {
      looks.release();
      return due;
    }

    /** Waits until the loop has looked at it from now on. */
    void awaitLook() throws InterruptedException {
      looks.drainPermits();
      looks.acquire(2); // it may be looking now
    }

    @Override
    public void take() {
      taken.add(name);
    }
  }

  private final BlockingQueue<String> taken = new LinkedBlockingQueue<>();

  private void await(Runnable inLoop) {
    CompletableFuture.runAsync(inLoop, loop).join();
  }

  @Test
  void aTurnThatIsNotDueWaitsWithThoseBehindItUntilItIs() throws Exception {
    Late first = new Late("first");
    Late second = new Late("second");
    second.due = true;
    await(
        () -> {
          LaterTurns turns = LaterTurns.of(LaterTurns.Kind.READING, true);
          turns.add(loop, time::nanoTime, "a", first);
          turns.add(loop, time::nanoTime, "b", second);
        });
    assertThat(taken.poll(50, TimeUnit.MILLISECONDS)).isNull();
    first.due = true;
    assertThat(taken.take()).isEqualTo("first");
    assertThat(taken.take()).isEqualTo("second");
  }

  /** A millisecond before, none has one: four share the second, however many turns one has. */
  @Test
  void eachClientHasATurnWithinASecond() throws Exception {
    Map<String, Late> late = new LinkedHashMap<>();
    for (String name : List.of("a1", "b1", "c1", "d1", "a2", "a3", "b2", "c2", "d2")) {
      late.put(name, new Late(name));
    }
    await(
        () -> {
          LaterTurns turns = LaterTurns.of(LaterTurns.Kind.READING, true);
          late.forEach((name, turn) -> turns.add(loop, time::nanoTime, name.charAt(0), turn));
        });
    for (String name : List.of("a1", "b1", "c1", "d1")) {
      late.get(name).awaitLook();
      time.advance(Duration.ofMillis(249));
      late.get(name).awaitLook();
      assertThat(taken).isEmpty();
      time.advance(Duration.ofMillis(1));
      assertThat(taken.take()).isEqualTo(name);
    }
  }

  /** A turn that is not due may close the connections of others. */
  @Test
  void aLoopThatStoodStillOwesNoTurns() throws Exception {
    List<Late> late = List.of(new Late("1"), new Late("2"), new Late("3"));
    await(
        () -> {
          LaterTurns turns = LaterTurns.of(LaterTurns.Kind.READING, true);
          late.forEach(turn -> turns.add(loop, time::nanoTime, "a", turn));
        });
    late.get(0).awaitLook();
    time.advance(Duration.ofSeconds(10));
    assertThat(taken.take()).isEqualTo("1");
    late.get(1).awaitLook();
    assertThat(taken).isEmpty();
  }

  /** These wait for room, which strangers may leave to them late. */
  @Test
  void clientsWithATokenDoNotWaitForThoseThatHaveNone() throws Exception {
    Late known = new Late("known");
    known.due = true;
    await(
        () -> {
          LaterTurns.of(LaterTurns.Kind.READING, false)
              .add(loop, time::nanoTime, "a", new Late("stranger"));
          LaterTurns.of(LaterTurns.Kind.READING, true).add(loop, time::nanoTime, "b", known);
        });
    assertThat(taken.take()).isEqualTo("known");
    assertThat(taken).isEmpty();
  }

  @Test
  void aClientWithManyTurnsDelaysItsOwn() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(
        () -> {
          for (String turn : List.of("a1", "a2", "b1", "a3", "c1", "c2")) {
            add(turn.substring(0, 1), () -> events.add(turn));
          }
          add("a", () -> done.complete(null));
        });
    done.join();
    assertThat(events).containsExactly("a1", "b1", "c1", "a2", "c2", "a3");
  }

  @Test
  void aTurnThatFailsDoesNotEndTheOthers() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(
        () -> {
          add(
              () -> {
                throw new IllegalStateException("a turn that fails");
              });
          add(() -> done.complete(null));
        });
    done.join();
  }
}
