package io.firn.spring;

import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import org.springframework.beans.factory.ObjectProvider;

/** Notifies every listener of the context. */
record Listeners(ObjectProvider<LeaseListener> all) implements LeaseListener {

  @Override
  public void acquired(LeaseStatus status) {
    all.orderedStream().forEach(listener -> listener.acquired(status));
  }

  @Override
  public void renewed(LeaseStatus status) {
    all.orderedStream().forEach(listener -> listener.renewed(status));
  }

  @Override
  public void lost(LeaseStatus status) {
    all.orderedStream().forEach(listener -> listener.lost(status));
  }

  @Override
  public void expired(LeaseStatus status) {
    all.orderedStream().forEach(listener -> listener.expired(status));
  }
}
