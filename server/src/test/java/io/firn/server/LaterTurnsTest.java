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
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

  private void add(Runnable turn) {
    add("client", turn);
  }

  private void add(String client, Runnable turn) {
    LaterTurns.ofLoop().add(loop, time::nanoTime, client, turn);
  }

  /** A turn that takes a third of a millisecond. */
  private void take(String name) {
    events.add(name);
    time.advance(Duration.ofNanos(333_334));
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
  void theLoopLooksAtTheNetworkAfterAMillisecondOfTurns() throws Exception {
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
          assertThat(LaterTurns.ofLoop().isEmpty()).isFalse();
        });
    done.join();
    assertThat(events).containsExactly("connected", "a", "b", "accepted", "c", "d");
    listener.close().sync();
  }

  /** What is scheduled in the first turn runs in the loop's next round. */
  @Test
  void eightTurnsThatLetTheLoopReadEndTheirRound() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(
        () -> {
          add(() -> loop.schedule(() -> events.add("between"), 0, TimeUnit.NANOSECONDS));
          for (char turn : "abcdefghij".toCharArray()) {
            add(
                () -> {
                  events.add(String.valueOf(turn));
                  LaterTurns.ofLoop().countReading();
                });
          }
          add(() -> done.complete(null));
        });
    done.join();
    assertThat(String.join("", events)).isEqualTo("abcdefghbetweenij");
  }

  /** Their readings take rounds by turns with those of clients without a token. */
  @Test
  void clientsWithATokenDoNotWaitForAllThatHaveNone() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(
        () -> {
          LaterTurns strangers = LaterTurns.ofLongSteps(false);
          for (int i = 0; i < 20; i++) {
            strangers.add(
                loop,
                System::nanoTime,
                i,
                () -> {
                  events.add("stranger");
                  strangers.countReading();
                });
          }
          strangers.add(loop, System::nanoTime, 20, () -> done.complete(null));
          LaterTurns.ofLongSteps(true).add(loop, System::nanoTime, 0, () -> events.add("known"));
        });
    done.join();
    assertThat(events).hasSize(21);
    assertThat(events.indexOf("known")).isLessThanOrEqualTo(8);
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
