package io.firn.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.firn.testkit.IdHistory;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Recorder;

/**
 * A client that sends requests as fast as it can for a while, and then at fixed moments, at a part
 * of that speed. It keeps each ID, and connects again after a failure.
 */
final class SoakClient {

  private static final long MAX_MICROS = 60_000_000;
  private static final int RETRY_MILLIS = 10;
  private static final int TIMEOUT_MILLIS = 30_000;

  /**
   * What is requested.
   *
   * @param ids that the answers to the request hold
   */
  record Request(InetSocketAddress server, String text, int ids) {}

  /** The answers of several clients. Times are from the moment at which a request was due. */
  record Answers(Recorder micros, LongAdder ids, LongAdder failures) {

    static Answers none() {
      return new Answers(new Recorder(MAX_MICROS, 3), new LongAdder(), new LongAdder());
    }
  }

  private final Request request;
  private final byte[] bytes;
  private final Answers answers;
  private final IdHistory.Writer writer;
  private volatile boolean ending;

  SoakClient(Request request, Answers answers, IdHistory.Writer writer) {
    this.request = request;
    bytes = request.text().getBytes(US_ASCII);
    this.answers = answers;
    this.writer = writer;
  }

  /**
   * Starts.
   *
   * @param full how long it sends requests as fast as it can
   * @param share of the speed that it has afterwards
   */
  CompletableFuture<Void> start(Duration full, double share) {
    return CompletableFuture.runAsync(
        () -> run(full.toNanos(), share), task -> new Thread(task, "client").start());
  }

  void end() {
    ending = true;
  }

  private void run(long fullNanos, double share) {
    long begin = System.nanoTime();
    long exchanges = 0;
    long interval = 0;
    while (!ending) {
      try (Socket socket = connect(request.server())) {
        InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
        for (long due = System.nanoTime(); !ending; due += interval) {
          if (interval == 0) {
            due = System.nanoTime();
          }
          LockSupport.parkNanos(due - System.nanoTime());
          exchange(socket, in);
          long now = System.nanoTime();
          answers.micros().recordValue(Math.min(MAX_MICROS, (now - due) / 1000));
          exchanges++;
          if (interval == 0 && now - begin > fullNanos) {
            interval = (long) ((now - begin) / (exchanges * share));
          }
        }
      } catch (IOException e) {
        answers.failures().increment();
        LockSupport.parkNanos(Duration.ofMillis(RETRY_MILLIS).toNanos());
      }
    }
  }

  static Socket connect(InetSocketAddress address) throws IOException {
    Socket socket = new Socket(address.getAddress(), address.getPort());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }

  private void exchange(Socket socket, InputStream in) throws IOException {
    socket.getOutputStream().write(bytes);
    for (int taken = 0; taken < request.ids(); ) {
      taken += takeLine(in) ? 1 : 0;
    }
    answers.ids().add(request.ids());
  }

  /** Takes the ID on a line: {@code :N} or {@code N}; false for a line of anything else. */
  private boolean takeLine(InputStream in) throws IOException {
    int first = in.read();
    boolean number = first == ':' || (first >= '0' && first <= '9');
    long id = 0;
    for (int next = first == ':' ? in.read() : first; next != '\n'; next = in.read()) {
      if (next < 0 || first == '-') {
        throw new IOException("answer: an error, or the end (expected: IDs)");
      }
      id = number && next != '\r' ? 10 * id + (next - '0') : id;
    }
    if (number) {
      writer.add(id);
    }
    return number;
  }
}
