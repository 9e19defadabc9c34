package io.firn.server;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The addresses from which clients have presented a token, as many of the latest as are worth their
 * memory. New connections from there do not wait for those of strangers: a client that opens a
 * connection for each request has presented its token on another one. Thread-safe.
 */
final class KnownAddresses {

  /** They take less than a megabyte. */
  static final int MOST = 1 << 13;

  private final Map<Object, Boolean> latest =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Boolean> eldest) {
          return size() > MOST;
        }
      };

  /**
   * Adds the address of a client that has presented a token.
   *
   * @param network what identifies its address: {@link Connection#network()}
   */
  synchronized void add(Object network) {
    latest.put(network, true);
  }

  /** Returns whether an address was added, and not {@value #MOST} others since. */
  synchronized boolean contains(Object network) {
    return latest.containsKey(network);
  }
}
