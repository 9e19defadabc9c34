package io.firn.client;

import io.firn.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A server, and how it answered last. After a failure the client backs off from it, twice as long
 * each time. One thread fetches; what the others read is volatile.
 */
final class Upstream {

  private static final long MIN_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Up to 1.6 s. */
  private static final int MAX_DOUBLINGS = 4;

  private static final long MAX_RETRY_AFTER_SECONDS = 60;

  private static final Pattern DETAIL =
      Pattern.compile("\"detail\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final int MAX_TEXT = 200;

  private final URI address;
  private final HttpRequest request;
  private final int count;
  private final long timeoutNanos;
  private final TimeSource time;
  private int failures;
  private long backoffEndNanos;
  private volatile @Nullable Failure last;

  /** An answer without IDs. */
  private static final class Failure extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean refused;
    private final long retryAfterNanos;

    Failure(String text, boolean refused, long retryAfterNanos) {
      super(text);
      this.refused = refused;
      this.retryAfterNanos = retryAfterNanos;
    }
  }

  Upstream(URI address, HttpRequest request, int count, long timeoutNanos, TimeSource time) {
    this.address = address;
    this.request = request;
    this.count = count;
    this.timeoutNanos = timeoutNanos;
    this.time = time;
    backoffEndNanos = time.nanoTime();
  }

  String address() {
    return address.toString();
  }

  String lastFailure() {
    Failure failure = last;
    return failure == null ? "no answer yet" : "" + failure.getMessage();
  }

  /** Returns whether it answered last that it does not issue these IDs, as with a wrong token. */
  boolean isRefused() {
    Failure failure = last;
    return failure != null && failure.refused;
  }

  /** Returns for how long it is not to be asked; 0 or less if it may be. */
  long backoffNanos() {
    return backoffEndNanos - time.nanoTime();
  }

  /** Requests a batch; null if that fails. */
  @Nullable Batch fetch(HttpClient client) {
    long begin = time.nanoTime();
    try {
      Batch batch = new Batch(parse(answer(client)), begin);
      last = null;
      failures = 0;
      return batch;
    } catch (Failure e) {
      backOff(e);
    } catch (InterruptedException e) {
      backOff(new Failure("interrupted", false, 0));
    }
    return null;
  }

  /** Backs off, with random jitter, so that clients that failed together spread out. */
  private void backOff(Failure failure) {
    long longest = MIN_BACKOFF_NANOS << Math.min(failures, MAX_DOUBLINGS);
    long backoff = longest / 2 + time.random(longest / 2);
    failures++;
    backoffEndNanos = time.nanoTime() + Math.max(backoff, failure.retryAfterNanos);
    last = failure;
  }

  /** The timeout of the JDK's client ends with the headers, so the whole answer gets one. */
  private HttpResponse<String> answer(HttpClient client) throws Failure, InterruptedException {
    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    try {
      return answer.get(timeoutNanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new Failure(
          "no answer in " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms", false, 0);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() instanceof IOException io ? io : e;
      String text = cause.getMessage();
      throw new Failure(text == null ? cause.getClass().getSimpleName() : text, false, 0);
    } finally {
      answer.cancel(true);
    }
  }

  private long[] parse(HttpResponse<String> answer) throws Failure {
    if (answer.statusCode() != 200) {
      throw failure(answer);
    }
    String[] lines = answer.body().split("\n", -1);
    long[] ids = new long[count];
    if (lines.length != count + 1 || !lines[count].isEmpty()) {
      throw unreadable(answer.body());
    }
    for (int i = 0; i < count; i++) {
      try {
        ids[i] = Long.parseLong(lines[i]);
      } catch (NumberFormatException e) {
        throw unreadable(answer.body());
      }
    }
    return ids;
  }

  private Failure unreadable(String body) {
    return new Failure(shortened(body) + " (expected: " + count + " IDs, one a line)", false, 0);
  }

  private static Failure failure(HttpResponse<String> answer) {
    int status = answer.statusCode();
    Matcher detail = DETAIL.matcher(answer.body());
    String text = detail.find() ? detail.group(1).replace("\\", "") : answer.body();
    return new Failure(
        status + " " + shortened(text),
        status >= 400 && status < 500 && status != 408 && status != 429,
        TimeUnit.SECONDS.toNanos(
            answer
                .headers()
                .firstValue("Retry-After")
                .filter(seconds -> seconds.matches("[0-9]{1,9}"))
                .map(seconds -> Math.min(MAX_RETRY_AFTER_SECONDS, Long.parseLong(seconds)))
                .orElse(0L)));
  }

  private static String shortened(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
  }
}
