package io.firn.server;

import io.firn.client.FirnClient;
import io.firn.client.IdsUnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Draws IDs as the lines on its input say, for {@link FirstPartyClientsTest}: {@code next} draws
 * one, {@code draw N} draws in N threads until {@code stop}. The clients of the other languages
 * have the like in their tests.
 */
final class DrawIds {

  private final FirnClient client;
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong longestNanos = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  private DrawIds(FirnClient client) {
    this.client = client;
  }

  public static void main(String[] args) throws Exception {
    Map<String, String> settings = new HashMap<>();
    for (String arg : args) {
      settings.put(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
    }
    FirnClient.Builder builder =
        FirnClient.builder(
            Stream.of(settings.get("servers").split(",", -1)).map(URI::create).toList(),
            settings.get("namespace"));
    if (settings.containsKey("token")) {
      builder.token(settings.get("token"));
    }
    builder.batch(Integer.parseInt(settings.getOrDefault("batch", "1000")));
    builder.timeout(millis(settings.getOrDefault("timeout", "1000")));
    builder.maxWait(millis(settings.getOrDefault("wait", "5000")));
    builder.maxAge(millis(settings.getOrDefault("age", "10000")));
    try (FirnClient client = builder.build()) {
      new DrawIds(client).run();
    }
  }

  private static Duration millis(String text) {
    return Duration.ofMillis(Long.parseLong(text));
  }

  private void run() throws IOException, InterruptedException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals("next")) {
        System.out.println(drawOne());
      } else if (line.startsWith("draw ")) {
        for (int i = Integer.parseInt(line.substring(5)); i > 0; i--) {
          Thread thread = new Thread(this::draw);
          threads.add(thread);
          thread.start();
        }
      } else if (line.equals("stop")) {
        stopped = true;
        for (Thread thread : threads) {
          thread.join();
        }
        System.out.println("longest call " + longestNanos.get() / 1e6 + " ms of " + calls.get());
      }
    }
  }

  private String drawOne() {
    try {
      return "" + client.nextId();
    } catch (IdsUnavailableException e) {
      return "failed: " + e.getMessage();
    }
  }

  private void draw() {
    while (!stopped) {
      long begin = System.nanoTime();
      String drawn = drawOne();
      longestNanos.accumulateAndGet(System.nanoTime() - begin, Math::max);
      calls.incrementAndGet();
      System.out.println(drawn);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }
}
