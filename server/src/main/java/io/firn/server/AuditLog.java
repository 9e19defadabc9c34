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

/**
 * The events of the logger {@code io.firn.audit}: wrong tokens, with the address of the client, and
 * namespaces that clients have opened. The first wrong token of an address is logged at once, those
 * that follow once a minute with their number. Thread-safe.
 */
public final class AuditLog {

  /** A caller with more addresses is logged for as many of them at a time. */
  static final int MAX_ADDRESSES = 1024;

  static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final Logger LOG = System.getLogger("io.firn.audit");

  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<InetAddress, WrongTokens> wrong = new LinkedHashMap<>();

  /** Creates a log with a clock. */
  AuditLog(TimeSource time) {
    this.time = time;
  }

  private static final class WrongTokens {
    private final long loggedNanos;
    private long more;

    WrongTokens(long loggedNanos) {
      this.loggedNanos = loggedNanos;
    }
  }

  /** Records that a client presented a token that is not known. */
  void wrongToken(InetAddress client) {
    lock.lock();
    try {
      logMore();
      WrongTokens known = wrong.get(client);
      if (known != null) {
        known.more++;
      } else if (wrong.size() < MAX_ADDRESSES) {
        wrong.put(client, new WrongTokens(time.nanoTime()));
        LOG.log(Level.WARNING, () -> "wrong token from " + client.getHostAddress());
      }
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
    Map<InetAddress, WrongTokens> again = new LinkedHashMap<>();
    Iterator<Map.Entry<InetAddress, WrongTokens>> all = wrong.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<InetAddress, WrongTokens> each = all.next();
      if (now - each.getValue().loggedNanos < PERIOD_NANOS) {
        break;
      }
      all.remove();
      long more = each.getValue().more;
      if (more > 0) {
        LOG.log(
            Level.WARNING,
            () ->
                "wrong token from "
                    + each.getKey().getHostAddress()
                    + ": "
                    + more
                    + " more within a minute");
        again.put(each.getKey(), new WrongTokens(now));
      }
    }
    wrong.putAll(again);
  }

  /** Records that a client had a namespace opened that the configuration does not have. */
  void namespaceOpened(String namespace, Caller caller) {
    LOG.log(Level.INFO, () -> "namespace " + namespace + " opened for token " + caller.name());
  }
}
