package io.firn.key;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Starts its generator when the first key is asked for, and tries again if it could not. */
final class KeysOnDemand implements KeyGenerator {

  private final Supplier<KeyGenerator> opener;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable KeyGenerator opened;
  private boolean closed;

  KeysOnDemand(Supplier<KeyGenerator> opener) {
    this.opener = opener;
  }

  @Override
  public Comparable<?> nextKey() {
    return generator().nextKey();
  }

  @Override
  public List<Comparable<?>> nextKeys(int count) {
    return generator().nextKeys(count);
  }

  private KeyGenerator generator() {
    KeyGenerator generator = opened;
    return generator == null ? open() : generator;
  }

  private KeyGenerator open() {
    lock.lock();
    try {
      KeyGenerator generator = opened;
      if (generator == null) {
        if (closed) {
          throw new IllegalStateException("generator: closed (expected: open)");
        }
        generator = opener.get();
        opened = generator;
      }
      return generator;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      if (opened != null) {
        opened.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
