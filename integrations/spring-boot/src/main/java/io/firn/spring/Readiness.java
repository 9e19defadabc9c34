package io.firn.spring;

import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationEventPublisher;

/** Refuses traffic while a lease has ended and could not be extended. */
final class Readiness implements LeaseListener {

  private final ApplicationEventPublisher publisher;

  /** The namespaces that have no IDs now. */
  private final Set<String> out = ConcurrentHashMap.newKeySet();

  Readiness(ApplicationEventPublisher publisher) {
    this.publisher = publisher;
  }

  @Override
  public void expired(LeaseStatus status) {
    out.add(status.namespace());
    publish(ReadinessState.REFUSING_TRAFFIC);
  }

  @Override
  public void renewed(LeaseStatus status) {
    goOn(status);
  }

  @Override
  public void acquired(LeaseStatus status) {
    goOn(status);
  }

  private void goOn(LeaseStatus status) {
    if (out.remove(status.namespace()) && out.isEmpty()) {
      publish(ReadinessState.ACCEPTING_TRAFFIC);
    }
  }

  private void publish(ReadinessState state) {
    AvailabilityChangeEvent.publish(publisher, this, state);
  }
}
