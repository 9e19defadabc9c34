package io.firn.server;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The addresses from which clients have presented tokens, as many of the latest as are worth their
 * memory. Connections from there do not wait for those of strangers: a client that opens a
 * connection for each request has presented its token on another one. Thread-safe.
 */
final class KnownAddresses {

  /** They take less than a megabyte. */
  static final int MOST = 1 << 13;

  /** The caller that was there last. */
  private final Map<Object, Caller> latest =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Caller> eldest) {
          return size() > MOST;
        }
      };

  /**
   * Adds the address of a client that has presented a token.
   *
   * @param network what identifies its address: {@link Connection#network()}
   * @param caller whose token it is
   */
  synchronized void add(Object network, Caller caller) {
    latest.put(network, caller);
  }

  /** Returns whether an address is known, because of a token that is not removed. */
  synchronized boolean contains(Object network) {
    Caller caller = latest.get(network);
    return caller != null && !caller.isRevoked();
  }
}
