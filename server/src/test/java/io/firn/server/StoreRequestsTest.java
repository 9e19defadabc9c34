package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.server.config.TokenConfig;
import io.firn.store.Binding;
import io.firn.store.ForwardingRegisterStore;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.Register;
import io.firn.store.Snapshot;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class StoreRequestsTest {

  /** A store that may forget and has an identity, as Redis. */
  private static final class ForgetfulStore extends ForwardingRegisterStore {

    ForgetfulStore() {
      super(new InMemoryRegisterStore());
    }

    @Override
    public boolean mayForget() {
      return true;
    }

    @Override
    public OptionalLong currentTimeMillis() {
      return OptionalLong.of(System.currentTimeMillis());
    }

    @Override
    public Optional<Snapshot> snapshot(List<String> names) {
      return Optional.of(new Snapshot("run1", System.currentTimeMillis(), readAll(names)));
    }

    @Override
    public WriteResult compareAndSet(String name, long version, String value, Binding binding) {
      return compareAndSet(name, version, value);
    }

    /** Lets the settling time of a namespace end. */
    void settle(String namespace) {
      Register register = read(namespace + "/layout").orElseThrow();
      String since = " since=" + Instant.now().minusSeconds(3_600);
      String earlier = register.value().replaceAll(" since=\\S+", since);
      assertThat(earlier).isNotEqualTo(register.value());
      var unused = compareAndSet(register.name(), register.version(), earlier);
    }
  }

  /** A store that was replaced may give a block as late as its generators count on. */
  @Test
  void blockKeepsToTheSplitAndTheClockSkewOfTheNamespace() {
    ForgetfulStore store = new ForgetfulStore();
    TimeSource time = TimeSource.system();
    EventLoops loops = new EventLoops(1, time);
    Namespaces namespaces =
        new Namespaces(
            RunningServer.config(
                "redis",
                "namespaces:",
                "  orders: {window: 10s, max-split: 40s, max-clock-skew: 6s}"),
            store,
            new AuditLog(time),
            loops,
            time);
    Caller caller = new Caller(TokenConfig.anonymous(RunningServer.config("redis")), time);
    try {
      namespaces.open("orders").join();
      store.settle("orders");
      Optional<Instant> near = Optional.of(Instant.now().plusSeconds(12));
      namespaces.block(caller, "orders", 1, near, Optional.empty()).join();
      Optional<Instant> far = Optional.of(Instant.now().plusSeconds(20));
      assertThatThrownBy(() -> namespaces.block(caller, "orders", 1, far, Optional.empty()).join())
          .hasRootCauseInstanceOf(RequestException.class)
          .hasRootCauseMessage(
              "begin: " + far.get() + " (expected: IDs at most 14s ahead of the clock)");
    } finally {
      namespaces.close(new StopSteps(), 1_000_000_000);
      loops.close();
    }
  }
}
