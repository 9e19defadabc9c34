package io.firn.server;

import io.firn.time.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLHandshakeException;

/**
 * The events of the logger {@code io.firn.audit}: wrong and missing tokens and failed TLS
 * handshakes, with the address of the client, connections closed for their memory, the removal of
 * all tokens, and namespaces that clients have opened. The first failure of an address is logged at
 * once, those that follow once a minute with their number. Thread-safe.
 */
public final class AuditLog {

  /** Failures of more addresses at a time are not logged. */
  static final int MAX_ADDRESSES = 1024;

  static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final Logger LOG = System.getLogger("io.firn.audit");

  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();

  /** By the beginning of their lines. */
  private final Map<String, Failures> failures = new LinkedHashMap<>();

  /** Creates a log with a clock. */
  AuditLog(TimeSource time) {
    this.time = time;
  }

  private static final class Failures {
    private final long loggedNanos;
    private long more;

    Failures(long loggedNanos) {
      this.loggedNanos = loggedNanos;
    }
  }

  /** Records that a client presented a token that is not known. */
  void wrongToken(InetAddress client) {
    String address = client.getHostAddress();
    if (isFirst("wrong token from " + address)) {
      LOG.log(Level.WARNING, () -> "wrong token from " + address);
    }
  }

  /** Records that a request was refused because it came without a token. */
  void noToken(InetAddress client) {
    String address = client.getHostAddress();
    if (isFirst("no token from " + address)) {
      LOG.log(Level.WARNING, () -> "no token from " + address);
    }
  }

  /** Records that a client that needs a certificate did not get through the handshake of TLS. */
  void failedHandshake(InetAddress client, SSLHandshakeException why) {
    String address = client.getHostAddress();
    if (isFirst("failed TLS handshake from " + address)) {
      LOG.log(
          Level.WARNING, () -> "failed TLS handshake from " + address + ": " + why.getMessage());
    }
  }

  /** Records that a reload removed all tokens. */
  void tokensRemoved() {
    LOG.log(
        Level.WARNING, "The configuration has no tokens any more; clients need none from now on");
  }

  /**
   * Records that a reload removed the authorities of client certificates.
   *
   * @param tokens whether clients need tokens
   */
  void certificatesRemoved(boolean tokens) {
    if (tokens) {
      LOG.log(
          Level.WARNING,
          "The configuration has no tls.client-ca any more; clients need no certificate from now"
              + " on");
    } else {
      LOG.log(
          Level.WARNING,
          "The configuration has no tls.client-ca any more, and no tokens; clients need no"
              + " certificate and no token from now on");
    }
  }

  /** Records that a connection was closed because all clients together held too much. */
  void closedForMemory(InetAddress client, long budgetBytes) {
    if (isFirst("closed a connection, because all clients held too much")) {
      LOG.log(
          Level.WARNING,
          () ->
              "closed a connection of "
                  + client.getHostAddress()
                  + ", because all clients held more than "
                  + budgetBytes
                  + " bytes of requests and answers");
    }
  }

  /** Counts a failure, and returns whether it is to be logged now. */
  private boolean isFirst(String failure) {
    lock.lock();
    try {
      logMore();
      Failures known = failures.get(failure);
      if (known != null) {
        known.more++;
        return false;
      }
      if (failures.size() == MAX_ADDRESSES) {
        return false;
      }
      failures.put(failure, new Failures(time.nanoTime()));
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Logs what came since the last time, if that was a minute ago; called now and then. */
  void flush() {
    lock.lock();
    try {
      logMore();
    } finally {
      lock.unlock();
    }
  }

  /** The oldest entries come first. */
  private void logMore() {
    long now = time.nanoTime();
    Map<String, Failures> again = new LinkedHashMap<>();
    Iterator<Map.Entry<String, Failures>> all = failures.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Failures> each = all.next();
      if (now - each.getValue().loggedNanos < PERIOD_NANOS) {
        break;
      }
      all.remove();
      long more = each.getValue().more;
      if (more > 0) {
        LOG.log(Level.WARNING, () -> each.getKey() + ": " + more + " more within a minute");
        again.put(each.getKey(), new Failures(now));
      }
    }
    failures.putAll(again);
  }

  /** Records that a client had a namespace opened that the configuration does not have. */
  void namespaceOpened(String namespace, Caller caller) {
    LOG.log(Level.INFO, () -> "namespace " + namespace + " opened for token " + caller.name());
  }
}
