package io.firn.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.firn.server.Connection;
import io.firn.server.LoneConnections;
import io.firn.server.Service;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class HttpHandlerTest {

  private static final String GET =
      "GET / HTTP/1.1\r\nHost: localhost\r\naccept: text/plain\r\n\r\n";

  /** Requests of every form: what comes of them does not depend on how they come. */
  private static final List<String> REQUESTS =
      List.of(
          GET,
          GET + GET,
          "\r\n" + GET,
          "\r\n\r\n\r\n" + GET,
          "GET / HTTP/1.1\nHost: localhost\n\n",
          "GET / HTTP/1.0\r\n\r\n" + GET,
          "GET / HTTP/1.1\r\n\r\n" + GET,
          "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n" + GET,
          "GET / HTTP/1.1\r\nHost: a\r\n: no name\r\n\r\n",
          "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
          "GET /\r\n",
          "PING\r\n",
          "*1\r\n$4\r\nPING\r\n",
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
          "HTTP/1.1\r\n",
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345" + GET,
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n" + GET,
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n" + GET,
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n" + GET,
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n123456",
          "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n123"
              + GET,
          "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 99999\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
              + GET,
          "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\n" + "a: b\r\n".repeat(50) + "\r\n" + GET);

  private HttpServing serving;

  @BeforeEach
  void start() {
    serving = HttpServing.start("{}");
  }

  @AfterEach
  void stop() {
    serving.close();
  }

  /** Returns the channel of a client whose requests to {@code /} are answered by a route. */
  private EmbeddedChannel open(Route route) {
    Router router = new Router();
    router.add("/", route, MediaType.TEXT);
    Service service = serving.server().service();
    EmbeddedChannel channel = new EmbeddedChannel();
    Connection connection = LoneConnections.of(channel, service);
    HttpHandler handler = new HttpHandler(service, router, new DateHeader(), connection);
    channel.pipeline().addLast(new HttpResponseEncoder(), handler, connection);
    return channel;
  }

  private static void send(EmbeddedChannel channel, String bytes) {
    if (channel.isOpen()) {
      channel.writeInbound(Unpooled.copiedBuffer(bytes, US_ASCII));
    }
  }

  /** Returns what was answered, without the time. */
  private static String answers(EmbeddedChannel channel) {
    StringBuilder all = new StringBuilder();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      all.append(part.toString(US_ASCII));
      part.release();
    }
    return all.toString().replaceAll("date: [^\r]*", "date");
  }

  /** Thousands of clients that wait would keep as many long headers. */
  @Test
  void keepsNothingOfARequestThatIsAnswered() {
    List<WeakReference<String>> headers = new ArrayList<>();
    EmbeddedChannel channel =
        open(
            exchange -> {
              headers.add(new WeakReference<>(exchange.header("accept")));
              exchange.reply("answer");
            });
    send(channel, GET);
    assertThat(headers).hasSize(1);
    for (int i = 0; i < 20 && headers.get(0).get() != null; i++) {
      System.gc();
    }
    assertThat(headers.get(0).get()).isNull();
    channel.finishAndReleaseAll();
  }

  /** What is kept of a part is not in the heap, where each collection would move it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65000\r\n\r\n"
      })
  void theHeapHoldsNothingOfAPart(String begin) {
    // What is loaded once, and a pool that grows, are not in all of them.
    long least = LongStream.generate(() -> allocatedBytes(begin)).limit(5).min().orElseThrow();
    assertThat(least).isLessThan(25_000); // half of it
  }

  /** Returns how many bytes of the heap a part of about 50,000 bytes takes. */
  private long allocatedBytes(String begin) {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    send(channel, begin);
    ByteBuf[] parts = new ByteBuf[7];
    Arrays.setAll(
        parts, i -> Unpooled.copiedBuffer("name: " + "v".repeat(7_000) + "\r\n", US_ASCII));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (ByteBuf part : parts) {
      channel.writeInbound(part);
      channel.runPendingTasks();
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    channel.finishAndReleaseAll();
    return allocated;
  }

  /** They are no tiny chunks. */
  @Test
  void takesALongChunkThatComesInManyParts() {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    send(channel, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1770\r\n");
    for (int i = 0; i < 300; i++) {
      send(channel, "x".repeat(20));
    }
    send(channel, "\r\n0\r\n\r\n");
    assertThat(answers(channel)).startsWith("HTTP/1.1 405 ");
    channel.finishAndReleaseAll();
  }

  /** A client that does not go on would otherwise wait for the end of the request time. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\n",
        "GET /\r\n",
        "GET HTTP/1.1\r\n",
        " / HTTP/1.1\r\n",
        "A b c HTTP/1.1\r\n",
        "GET / HTTP/1.x\r\n",
        "GET / HTTP/1.1\r\nHost: a\n",
        "GET / HTTP/1.1\r\nname\r\n",
        "GET / HTTP/1.1\r\n: value\r\nname: value\r\n",
        "\026\003\001",
        "POST / HTTP/1.0\r\nContent-Length: 5\r\nContent-Length: 60\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Key1: 1\r\nSec-WebSocket-Key2: 2\r\n\r\n"
      })
  void refusesABadLineAtOnce(String begin) {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    send(channel, begin);
    assertThat(answers(channel)).startsWith("HTTP/1.1 400 ");
    channel.finishAndReleaseAll();
  }

  /** The limit is 65,536 bytes of a line, or of all headers. */
  @ParameterizedTest
  @CsvSource({
    "65536, 0, 0",
    "65537, 0, 414",
    "14, 65536, 0",
    "14, 65537, 431",
    "60000, 65536, 0",
    "60000, 65537, 431"
  })
  void refusesALineWithoutAnEndAtOnceIfItIsTooLong(int first, int header, int status) {
    String version = " HTTP/1.1";
    String line = "GET /" + "a".repeat(first - 5 - (header == 0 ? 0 : version.length()));
    String headers = header == 0 ? "" : version + "\r\nname: " + "v".repeat(header - 6);
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    send(channel, line + headers + "\r");
    assertThat(answers(channel)).startsWith(status == 0 ? "" : "HTTP/1.1 " + status + " ");
    assertThat(channel.isOpen()).isEqualTo(status == 0);
    channel.finishAndReleaseAll();
  }

  /** The ends of lines do not count, however the headers come. */
  @ParameterizedTest
  @CsvSource({"65536, 200", "65537, 431"})
  void headersMayBeAsLongAsTheLimit(int bytes, int status) {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    String post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30000\r\n\r\n";
    send(channel, post + "x".repeat(30_000));
    channel.runPendingTasks(); // the turn of a long request
    assertThat(answers(channel)).startsWith("HTTP/1.1 405 ");
    String headers = "Host: a\r\n" + ("name: " + "v".repeat(794) + "\r\n").repeat(80);
    String last = "name: " + "v".repeat(bytes - 7 - 80 * 800 - 6);
    String get = "GET / HTTP/1.1\r\n" + headers + last + "\r\n\r\n";
    send(channel, get.substring(0, get.length() - 30));
    channel.runPendingTasks();
    send(channel, get.substring(get.length() - 30));
    channel.runPendingTasks();
    assertThat(answers(channel)).startsWith("HTTP/1.1 " + status + " ");
    channel.finishAndReleaseAll();
  }

  @ParameterizedTest
  @CsvSource({"65536, true", "65537, false"})
  void refusesABodyThatIsTooLongWhenItIsAnnounced(int length, boolean open) {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    send(channel, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n");
    assertThat(answers(channel)).startsWith(open ? "" : "HTTP/1.1 413 ");
    assertThat(channel.isOpen()).isEqualTo(open);
    channel.finishAndReleaseAll();
  }

  @Test
  void refusesTooManyHeadersAtOnce() {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    send(channel, "GET / HTTP/1.1\r\n" + "a: b\r\n".repeat(RequestHeaders.MAX));
    assertThat(answers(channel)).isEmpty();
    send(
        channel, "a: b\r\n".repeat(2)); // the second one shows that the first one has no more lines
    assertThat(answers(channel)).startsWith("HTTP/1.1 431 ");
    channel.finishAndReleaseAll();
  }

  /**
   * Each short header takes a hundred bytes and more once the parser has it. Those that nobody
   * reads are not kept, and the parser has all of them late if it is known when the body is
   * complete.
   */
  @ParameterizedTest
  @CsvSource({
    "Transfer-Encoding: chunked, a, 98, 1500, 3000",
    "Transfer-Encoding: chunked, accept, 22, 4000, 8000",
    "Content-Length: 60000, a, 98, 500, 600"
  })
  void whatTheHeadersTakeIsHeldWhileTheBodyComes(
      String length, String name, int count, long least, long most) {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    Connection connection = channel.pipeline().get(Connection.class);
    String headers = (name + ":b\r\n").repeat(count);
    send(channel, "POST / HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + headers + "\r\n");
    assertThat(connection.heldBytes()).isBetween(least, most);
    channel.finishAndReleaseAll();
  }

  /** A hundred headers of one name would take as much as those that are not kept. */
  @ParameterizedTest
  @CsvSource({"23, 200", "24, 431"})
  void fewHeadersMayBeKept(int count, int status) {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    send(channel, "GET / HTTP/1.1\r\nHost: a\r\n" + "Accept: */*\r\n".repeat(count) + "\r\n");
    assertThat(answers(channel)).startsWith("HTTP/1.1 " + status + " ");
    channel.finishAndReleaseAll();
  }

  /** A proxy may read them otherwise. */
  @ParameterizedTest
  @ValueSource(strings = {"a b: c", "a : b", "a\1: b", "a: b\1", "Content-Length : 5", "\u00e4: b"})
  void aHeaderThatNobodyReadsIsChecked(String header) {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    send(channel, "GET / HTTP/1.1\r\nHost: a\r\n" + header + "\r\n\r\n");
    assertThat(answers(channel)).startsWith("HTTP/1.1 400 ");
    channel.finishAndReleaseAll();
  }

  /** The parser gives it in parts. */
  @Test
  void aLongBodyThatComesWithItsHeadIsTakenAtOnce() {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    String post =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n" + "x".repeat(20_000);
    send(channel, post + GET + post);
    channel.runPendingTasks(); // the turn of a long request
    assertThat(answers(channel)).containsPattern("(?s)405 .*200 OK.*405 ");
    channel.finishAndReleaseAll();
  }

  @Test
  void keepsNothingOfWhatFollowsABody() {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    String begin = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
    send(channel, begin + "a: b\r\n".repeat(RequestHeaders.MAX) + "\r\n" + GET);
    assertThat(answers(channel)).containsPattern("(?s)405 .*200 OK");
    send(channel, begin + "a: b\r\n".repeat(RequestHeaders.MAX + 1) + "\r\n");
    assertThat(answers(channel)).startsWith("HTTP/1.1 4");
    channel.finishAndReleaseAll();
  }

  /** Nothing is held of what was skipped, however much it was. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
      })
  void whatIsSkippedIsNotHeld(String begin) {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    String skipped = begin.isEmpty() ? "\r\n" : "1;" + "x".repeat(500) + "\r\nx\r\n";
    send(channel, begin);
    for (int i = 0; i < 50; i++) {
      send(channel, skipped);
    }
    assertThat(channel.pipeline().get(Connection.class).heldBytes()).isLessThan(5_000);
    channel.finishAndReleaseAll();
  }

  /** The parser keeps a buffer for the longest line, which may be an extension or a trailer. */
  @ParameterizedTest
  @ValueSource(strings = {"1;e=%s\r\nx\r\n", "0\r\nname: %s\r\n"})
  void aLongLineOfABodyInChunksIsHeld(String part) {
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    send(channel, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    send(channel, String.format(part, "x".repeat(60_000)));
    channel.runPendingTasks(); // the turn of a long request
    assertThat(channel.pipeline().get(Connection.class).heldBytes()).isGreaterThan(65_536);
    channel.finishAndReleaseAll();
  }

  /** It keeps its headers and its body until it is answered. */
  @ParameterizedTest
  @CsvSource({"name: %s$, 1, 60000, 58000", "accept:%s$, 22, 1, 1500"})
  void aRequestThatWaitsForItsAnswerIsHeld(String header, int count, int length, long least) {
    CompletableFuture<String> later = new CompletableFuture<>();
    EmbeddedChannel channel = open(exchange -> exchange.whenDone(later, exchange::reply));
    String headers = header.formatted("x".repeat(length)).replace("$", "\r\n").repeat(count);
    send(channel, "GET / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n");
    channel.runPendingTasks(); // the turn of a long request
    Connection connection = channel.pipeline().get(Connection.class);
    assertThat(connection.heldBytes()).isGreaterThan(least);
    later.complete("answer");
    channel.runPendingTasks();
    assertThat(answers(channel)).contains("200 OK");
    assertThat(connection.heldBytes()).isZero();
    send(channel, GET);
    assertThat(connection.heldBytes()).as("of a short one").isZero();
    channel.finishAndReleaseAll();
  }

  /** Ten thousand can wait for an outage to end. */
  @Test
  void aUsualRequestThatWaitsForItsAnswerIsNotHeld() {
    EmbeddedChannel channel =
        open(exchange -> exchange.whenDone(new CompletableFuture<String>(), exchange::reply));
    send(channel, "GET / HTTP/1.1\r\nHost: a\r\n" + "name: value\r\n".repeat(7) + "\r\n");
    assertThat(channel.pipeline().get(Connection.class).heldBytes()).isZero();
    channel.finishAndReleaseAll();
  }

  static List<String> requests() {
    return REQUESTS;
  }

  @ParameterizedTest
  @MethodSource("requests")
  void theAnswerDoesNotDependOnHowARequestComes(String request) {
    EmbeddedChannel whole = open(exchange -> exchange.reply("answer"));
    send(whole, request);
    String expected = answers(whole);
    assertThat(expected).contains("HTTP/1.1 ");
    whole.finishAndReleaseAll();
    for (int at = 1; at < request.length(); at++) {
      EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
      send(channel, request.substring(0, at));
      send(channel, request.substring(at));
      assertThat(answers(channel)).as("split at " + at).isEqualTo(expected);
      channel.finishAndReleaseAll();
    }
    EmbeddedChannel channel = open(exchange -> exchange.reply("answer"));
    for (int i = 0; i < request.length(); i++) {
      send(channel, request.substring(i, i + 1));
    }
    assertThat(answers(channel)).isEqualTo(expected);
    channel.finishAndReleaseAll();
  }
}
