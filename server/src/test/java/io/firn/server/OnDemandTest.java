package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.store.InMemoryRegisterStore;
import io.firn.time.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Namespaces that clients open by asking for them. */
@Timeout(120)
final class OnDemandTest {

  private final InMemoryRegisterStore store = new InMemoryRegisterStore();
  private final EventLoops loops = new EventLoops(1, TimeSource.system());
  private final Namespaces namespaces =
      new Namespaces(
          RunningServer.config("redis", "defaults: {window: 300ms}"),
          store,
          new AuditLog(TimeSource.system()),
          loops,
          TimeSource.system());

  @AfterEach
  void close() {
    namespaces.close(new StopSteps(), TimeUnit.SECONDS.toNanos(10));
    loops.close();
  }

  @Test
  void areClosedWhenTheyAreNotUsedForTenWindows() throws Exception {
    OpenNamespace orders = namespaces.open("orders").join();
    namespaces.open("default").join();
    while (namespaces.opened("orders") != null || !orders.isClosed()) {
      Thread.sleep(10);
    }
    assertThat(namespaces.opened("default")).as("is required").isNotNull();
    assertThat(namespaces.open("orders").join()).isNotSameAs(orders);
  }

  @Test
  void areRefusedIfTheyDifferFromAnotherByCaseOnly() {
    assertThat(refusal("DEFAULT"))
        .isEqualTo("namespace: DEFAULT (expected: default, or one that differs by more than case)");
    namespaces.open("orders").join();
    assertThat(refusal("Orders"))
        .isEqualTo("namespace: Orders (expected: orders, or one that differs by more than case)");
  }

  @Test
  void areNotOpenedInMasses() {
    String refusal = "";
    for (int i = 0; i < 200 && refusal.isEmpty(); i++) {
      String name = "name" + i;
      CompletableFuture<OpenNamespace> opening = namespaces.open(name);
      if (namespaces.statuses().stream().noneMatch(status -> status.name().equals(name))) {
        refusal = refusal(opening);
      }
    }
    assertThat(refusal).contains("others were opened within a second");
  }

  private String refusal(String name) {
    return refusal(namespaces.open(name));
  }

  private static String refusal(CompletableFuture<OpenNamespace> opening) {
    try {
      opening.join();
      return "none";
    } catch (CompletionException e) {
      return String.valueOf(e.getCause().getMessage());
    }
  }
}
