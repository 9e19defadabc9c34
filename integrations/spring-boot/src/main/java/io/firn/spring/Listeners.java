package io.firn.spring;

import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import java.util.function.BiConsumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;

/** Notifies every listener of the context, also after one that throws. */
record Listeners(ObjectProvider<LeaseListener> all) implements LeaseListener {

  private static final Log LOGGER = LogFactory.getLog(Listeners.class);

  @Override
  public void acquired(LeaseStatus status) {
    notifyAll(LeaseListener::acquired, status);
  }

  @Override
  public void renewed(LeaseStatus status) {
    notifyAll(LeaseListener::renewed, status);
  }

  @Override
  public void lost(LeaseStatus status) {
    notifyAll(LeaseListener::lost, status);
  }

  @Override
  public void expired(LeaseStatus status) {
    notifyAll(LeaseListener::expired, status);
  }

  private void notifyAll(BiConsumer<LeaseListener, LeaseStatus> event, LeaseStatus status) {
    all.orderedStream().forEach(listener -> notify(listener, event, status));
  }

  private static void notify(
      LeaseListener listener, BiConsumer<LeaseListener, LeaseStatus> event, LeaseStatus status) {
    try {
      event.accept(listener, status);
    } catch (Throwable e) {
      LOGGER.warn("listener failed for worker " + status.worker() + " of " + status.namespace(), e);
    }
  }
}
