package io.firn.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LayoutMismatchException;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.lease.NoFreeWorkerException;
import io.firn.lease.WorkerEntry;
import io.firn.store.RegisterStore;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.EventType;
import org.hibernate.generator.Generator;
import org.hibernate.internal.util.SerializationHelper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the lookup of generators, and of the time of each lease. */
class FactoryIdsTest {

  private static final RegisterStore STORE = RegisterStore.open("memory:");

  private static List<WorkerEntry> workers(String namespace) {
    return Namespace.of(STORE, namespace).workers();
  }

  private static long insertOrder(Factory factory) {
    Shop.Order order = new Shop.Order();
    factory.run(session -> session.persist(order));
    return order.id;
  }

  private static void refuses(Class<?> entity, Map<String, Object> settings, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Factory(List.of(entity), settings).close())
        .withMessage(message);
  }

  @Test
  void leasesOneWorkerANamespaceWhenTheFirstIdIsAskedFor() {
    Map<String, Object> settings =
        Map.of(
            "firn.store", "memory:",
            "firn.namespace", "shop",
            "firn.layout", "twitter",
            "firn.namespaces.orders.layout", "js_safe");
    try (Factory factory = new Factory(Shop.ENTITIES, settings)) {
      assertThat(workers("shop")).isEmpty();
      assertThat(workers("orders")).isEmpty();

      Shop.Order order = new Shop.Order();
      Shop.Customer customer = new Shop.Customer();
      factory.run(
          session -> {
            session.persist(order);
            session.persist(customer);
          });
      assertThat(order.id).isLessThan(1L << 53);
      assertThat(workers("shop")).singleElement().matches(WorkerEntry::held);
      assertThat(workers("orders")).singleElement().matches(WorkerEntry::held);
      assertThat(Namespace.of(STORE, "shop").layout()).contains(IdLayout.TWITTER);
    }
    assertThat(workers("shop")).singleElement().matches(worker -> !worker.held());
    assertThat(workers("orders")).singleElement().matches(worker -> !worker.held());
  }

  @Test
  void readsEverySettingOfAGeneratorForAllNamespacesOrForOne() {
    String layout = "37t+5d+5w+16s@2026-01-01T00:00:00Z/1ms";
    Map<String, Object> settings = new HashMap<>();
    settings.putAll(Map.of("firn.store", "memory:", "firn.namespace", "tuned"));
    settings.putAll(Map.of("firn.layout", layout, "firn.datacenter", "3", "firn.worker", 4));
    settings.put("firn.next-layout", "classic");
    settings.putAll(Map.of("firn.window", "20s", "firn.max-wait", Duration.ofMillis(5)));
    settings.putAll(Map.of("firn.sequence-start", "zero", "firn.allow-under-ten-years", "on"));
    settings.put("firn.namespaces.tuned.worker", "5");
    settings.put("firn.namespaces.tuned.max-lead", "1s");
    Shop.Customer customer = new Shop.Customer();
    try (Factory factory = new Factory(List.of(Shop.Customer.class), settings)) {
      factory.run(session -> session.persist(customer));
      assertThat(workers("tuned")).extracting(WorkerEntry::worker).containsExactly(3L << 5 | 5);
    }
  }

  @Test
  void clockPolicyOfANamespaceReplacesThePartsThatAllInherit() {
    Map<String, Object> settings =
        Map.of(
            "firn.store", "memory:",
            "firn.namespace", "calm",
            "firn.max-wait", "50ms",
            "firn.namespaces.calm.clock-policy", "twitter");
    try (Factory factory = new Factory(List.of(Shop.Customer.class), settings)) {
      factory.run(session -> session.persist(new Shop.Customer()));
      assertThat(workers("calm")).hasSize(1);
    }
  }

  @Test
  void refusesSettingsThatContradictOrThatThereAreNotWhereTheFactoryStarts() {
    Map<String, Object> settings = new HashMap<>();
    settings.putAll(Map.of("firn.store", "memory:", "firn.namespace", "odd"));
    settings.put("firn.namespaces.odd.max-laed", "1s");
    assertThatThrownBy(() -> new Factory(List.of(Shop.Customer.class), settings))
        .hasStackTraceContaining(
            "firn.namespaces.odd.max-laed: unknown (expected: one of layout, next-layout,");
    settings.remove("firn.namespaces.odd.max-laed");
    settings.putAll(Map.of("firn.clock-policy", "twitter", "firn.max-wait", "5ms"));
    assertThatThrownBy(() -> new Factory(List.of(Shop.Customer.class), settings))
        .hasStackTraceContaining("max-wait: 5ms (expected: not set beside clock-policy)");
  }

  @Test
  void namespacesMayHaveNamesThatBeginAlike() {
    Map<String, Object> settings =
        Map.of(
            "firn.store", "memory:",
            "firn.namespace", "alike",
            "firn.namespaces.alike.worker", "5",
            "firn.namespaces.alike.items.worker", "6");
    try (Factory factory = new Factory(List.of(Shop.Customer.class), settings)) {
      factory.run(session -> session.persist(new Shop.Customer()));
      assertThat(workers("alike")).extracting(WorkerEntry::worker).containsExactly(5L);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "firn.max-laed",
        "firn.namespaces",
        "firn.namespaces.worker",
        "firn.namespace.odd.worker",
        "firn.namespaces.other.items.max-laed"
      })
  void refusesAnUnknownSetting(String key) {
    assertThatThrownBy(
            () ->
                new Factory(
                    List.of(Shop.Customer.class),
                    Map.of("firn.store", "memory:", "firn.namespace", "odd", key, "1s")))
        .hasStackTraceContaining(key + ": unknown (expected: ");
  }

  @Test
  void leasesWithTheSettingsOfALease() {
    Map<String, Object> settings =
        Map.of(
            "firn.store", "memory:",
            "firn.namespace", "named",
            "firn.instance", "till-3",
            "firn.worker", "7",
            "firn.namespaces.named.worker", "lease",
            "firn.acquire-timeout", "1s",
            "firn.max-clock-skew", "4s",
            "firn.max-split", "5s");
    try (Snowflake seven =
            Snowflake.builder()
                .lease(LeaseConfig.builder(STORE, "named").worker(7).build())
                .build();
        Factory factory = new Factory(List.of(Shop.Customer.class), settings)) {
      assertThat(seven.nextId()).isPositive();
      factory.run(session -> session.persist(new Shop.Customer()));
      assertThat(workers("named")).extracting(WorkerEntry::holder).contains("till-3");
    }
  }

  @Test
  void leavesSystemPropertiesToOthers() {
    System.setProperty("firn.of-others", "1s");
    try (Factory factory =
        new Factory(
            List.of(Shop.Customer.class),
            Map.of("firn.store", "memory:", "firn.namespace", "others"))) {
      factory.run(session -> session.persist(new Shop.Customer()));
      assertThat(workers("others")).hasSize(1);
    } finally {
      System.clearProperty("firn.of-others");
    }
  }

  @Test
  void leasesForEachSessionFactory() {
    Map<String, Object> settings =
        Map.of("firn.store", "memory:", "firn.namespace", "each", "firn.layout", "classic");
    try (Factory one = new Factory(List.of(Shop.Customer.class), settings);
        Factory other = new Factory(List.of(Shop.Customer.class), settings)) {
      one.run(session -> session.persist(new Shop.Customer()));
      other.run(session -> session.persist(new Shop.Customer()));
      assertThat(workers("each")).hasSize(2).allMatch(WorkerEntry::held);
    }
  }

  @Test
  void failsTheInsertThatFindsNoWorkerAndServesTheNext() {
    Map<String, Object> settings =
        Map.of(
            "firn.store", "memory:",
            "firn.namespace", "small",
            "firn.layout", "41t+1w+21s@2026-01-01T00:00:00Z/1ms");
    IdLayout layout = IdLayout.of((String) settings.get("firn.layout"));
    Snowflake holder = Snowflake.builder().layout(layout).lease(STORE, "small").build();
    try (Snowflake second = Snowflake.builder().layout(layout).lease(STORE, "small").build();
        Factory factory = new Factory(List.of(Shop.Customer.class), settings)) {
      assertThatThrownBy(() -> factory.run(session -> session.persist(new Shop.Customer())))
          .isInstanceOf(NoFreeWorkerException.class);
      assertThat(second.nextId()).isPositive();
      holder.close();
      factory.run(session -> session.persist(new Shop.Customer()));
    }
  }

  @Test
  void failsTheInsertIntoANamespaceOfAnotherLayout() {
    try (Snowflake holder = Snowflake.builder().lease(STORE, "mismatch").build();
        Factory factory =
            new Factory(
                List.of(Shop.Customer.class),
                Map.of(
                    "firn.store", "memory:",
                    "firn.namespace", "mismatch",
                    "firn.layout", "twitter"))) {
      assertThat(holder.nextId()).isPositive();
      assertThatThrownBy(() -> factory.run(session -> session.persist(new Shop.Customer())))
          .isInstanceOf(LayoutMismatchException.class);
    }
  }

  @Test
  void refusesToStartWhereItWouldHaveToGuess() {
    refuses(
        Shop.Customer.class,
        Map.of(),
        "firn.generator: not set (expected: an IdGenerator, or to lease a worker ID: firn.store"
            + " and firn.namespace)");
    refuses(
        Shop.Customer.class,
        Map.of("firn.store", "memory:"),
        "firn.generator: not set (expected: an IdGenerator, or to lease a worker ID: firn.store"
            + " and firn.namespace)");
    refuses(
        Shop.Order.class,
        Map.of("firn.namespace", "shop"),
        "firn.generators.orders: not set (expected: an IdGenerator, or to lease a worker ID:"
            + " firn.store)");
    refuses(
        Shop.Customer.class,
        Map.of("firn.generator", "orders"),
        "firn.generator: orders (expected: an IdGenerator)");
    refuses(
        Shop.Customer.class,
        Map.of("firn.store", "memory:", "firn.namespace", "shop", "firn.layout", "nothing"),
        "layout: nothing (expected: a name such as twitter, or a form such as"
            + " 41t+10w+12s@2026-01-01T00:00:00Z/1ms)");
    refuses(
        Shop.Customer.class,
        Map.of("firn.store", "memory:", "firn.namespace", "shop", "firn.max-wait", "5"),
        "max-wait: 5 (expected: a time, as 500ms or 5s or 2m or 1h)");
  }

  /** As Spring Data JPA 4 builds a factory when it processes an application ahead of time. */
  @Test
  void factoryThatOnlyReadsTheMappingStartsWithoutAGenerator() {
    Map<String, Object> settings =
        Map.of(
            "hibernate.boot.allow_jdbc_metadata_access", "false",
            "hibernate.dialect", "org.hibernate.dialect.H2Dialect",
            "hibernate.hbm2ddl.auto", "none");
    try (Factory factory = new Factory(List.of(Shop.Customer.class), settings)) {
      assertThat(factory.sessions.getMetamodel().entity(Shop.Customer.class)).isNotNull();
      assertThatThrownBy(() -> factory.run(session -> session.persist(new Shop.Customer())))
          .hasStackTraceContaining("firn.generator: not set");
    }
  }

  @Test
  void needsNoGeneratorForWideTypes() {
    try (Factory factory = new Factory(List.of(Shop.Token.class), Map.of())) {
      Shop.Token token = new Shop.Token();
      factory.run(session -> session.persist(token));
      assertThat(token.id).isNotNull();
    }
  }

  @Entity(name = "wrong")
  static class Wrong {
    @Id @FirnId int id;
  }

  @Test
  void refusesAttributesThatHoldNoId() {
    refuses(
        Wrong.class,
        Map.of(),
        "attribute io.firn.hibernate.FactoryIdsTest$Wrong.id: type: int (expected: long, Long, String, UUID,"
            + " Ulid or ObjectId, to hold an ID)");
  }

  @Test
  void continuesAfterItWasSerialized() throws Exception {
    Snowflake ids = Snowflake.builder().worker(3).build();
    try (Factory factory =
        new Factory(Shop.ENTITIES, Map.of("firn.generator", ids, "firn.generators.orders", ids))) {
      Generator generator =
          factory
              .sessions
              .unwrap(SessionFactoryImplementor.class)
              .getMappingMetamodel()
              .getEntityDescriptor(Shop.Order.class)
              .getGenerator();
      FirnIdGenerator copy = (FirnIdGenerator) SerializationHelper.clone(generator);
      factory.run(
          session -> {
            Object id =
                copy.generate(
                    (SharedSessionContractImplementor) session,
                    new Shop.Order(),
                    null,
                    EventType.INSERT);
            assertThat(IdLayout.CLASSIC.parse((Long) id).worker()).isEqualTo(3);
          });
      assertThat(insertOrder(factory)).isPositive();
    }
  }
}
