package io.firn.spring;

import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;

/**
 * Refuses traffic while a lease has ended and could not be extended, also when others accept it, as
 * Boot at the end of a start. Then the state is again what others published last.
 */
final class Readiness
    implements LeaseListener, ApplicationListener<AvailabilityChangeEvent<ReadinessState>> {

  private final ApplicationEventPublisher publisher;

  /** Held while publishing, so that events come in the order of the changes. */
  private final ReentrantLock lock = new ReentrantLock();

  /** The namespaces that have no IDs now. */
  private final Set<String> out = new HashSet<>();

  /** The state that others published last; Boot's default before they did. */
  private ReadinessState others = ReadinessState.REFUSING_TRAFFIC;

  Readiness(ApplicationEventPublisher publisher) {
    this.publisher = publisher;
  }

  @Override
  public void expired(LeaseStatus status) {
    lock.lock();
    try {
      out.add(status.namespace());
      publish(ReadinessState.REFUSING_TRAFFIC);
    } finally {
      lock.unlock();
    }
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
    lock.lock();
    try {
      if (out.remove(status.namespace()) && out.isEmpty()) {
        publish(others);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onApplicationEvent(AvailabilityChangeEvent<ReadinessState> event) {
    if (event.getSource() == this) {
      return;
    }
    lock.lock();
    try {
      others = event.getState();
      if (!out.isEmpty() && others != ReadinessState.REFUSING_TRAFFIC) {
        publish(ReadinessState.REFUSING_TRAFFIC);
      }
    } finally {
      lock.unlock();
    }
  }

  private void publish(ReadinessState state) {
    AvailabilityChangeEvent.publish(publisher, this, state);
  }
}
