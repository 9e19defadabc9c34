package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.FirnException;
import io.firn.IdGenerator;
import io.firn.Snowflake;
import io.firn.integration.WorkerFields;
import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import io.firn.lease.Namespace;
import io.firn.lease.Watermark;
import io.firn.store.ForwardingRegisterStore;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.testkit.SwitchedStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ApplicationAvailabilityBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

final class ObservabilityTest {

  private static final Path OPEN_API =
      Path.of(
          System.getProperty("firn.root"),
          "server/src/main/resources/io/firn/server/http/openapi.json");
  private static final Pattern WORKER_SCHEMA =
      Pattern.compile("\"Worker\": \\{\\s*\"type\": \"object\",\\s*\"required\": \\[([^]]*)]");
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(120);

  private final SwitchedStore store = new SwitchedStore();

  private final ApplicationContextRunner application =
      Applications.withStore(store)
          .withPropertyValues(
              "management.endpoints.web.exposure.include=*",
              "management.endpoint.firn.enabled=true",
              "management.endpoints.jmx.exposure.include=*",
              "spring.jmx.enabled=true",
              "firn.window=4s",
              "firn.namespaces.orders.max-wait=0s");

  @Test
  void pastTheFenceItIsOutOfServiceUntilTheStoreIsBack() {
    application
        .withBean(ApplicationAvailabilityBean.class)
        .run(
            context -> {
              AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
              assertThat(health(context)).isEqualTo("UP");
              assertThat(issues(context)).isTrue();

              store.down(true);
              until(() -> readiness(context) == ReadinessState.REFUSING_TRAFFIC);
              assertThat(health(context)).isEqualTo("OUT_OF_SERVICE");
              assertThat(issues(context)).isFalse();
              assertThat(report(context, "orders"))
                  .containsEntry("last_error", "Store switched: did not answer");

              store.down(false);
              until(() -> readiness(context) == ReadinessState.ACCEPTING_TRAFFIC);
              assertThat(health(context)).isEqualTo("UP");
              until(() -> issues(context));
            });
  }

  /** Boot accepts traffic at the end of a start, whatever was before. */
  @Test
  void acceptsNoTrafficPastTheFenceIfOthersDo() {
    readinessOf(
        context -> {
          Readiness readiness = context.getBean(Readiness.class);
          readiness.expired(lease(context));
          AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
          assertThat(readiness(context)).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
          readiness.renewed(lease(context));
          assertThat(readiness(context)).isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
        });
  }

  @Test
  void acceptsNoTrafficForAnApplicationThatRefusesIt() {
    readinessOf(
        context -> {
          Readiness readiness = context.getBean(Readiness.class);
          AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
          AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
          readiness.expired(lease(context));
          readiness.renewed(lease(context));
          assertThat(readiness(context)).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
          AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
          assertThat(readiness(context)).isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
        });
  }

  @Test
  void acceptsNoTrafficWhileAnotherNamespaceIsPastTheFence() {
    readinessOf(
        context -> {
          Readiness readiness = context.getBean(Readiness.class);
          AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
          List<LeaseStatus> leases =
              context.getBeansOfType(NamespaceGenerator.class).values().stream()
                  .map(ObservabilityTest::lease)
                  .toList();
          assertThat(leases).hasSize(2);
          leases.forEach(readiness::expired);
          readiness.renewed(leases.get(0));
          assertThat(readiness(context)).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
          readiness.renewed(leases.get(1));
          assertThat(readiness(context)).isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
        },
        "firn.namespaces.items.max-wait=0s");
  }

  /** With a window that is not renewed during the test. */
  private void readinessOf(
      ContextConsumer<AssertableApplicationContext> test, String... properties) {
    application
        .withPropertyValues("firn.window=1h")
        .withPropertyValues(properties)
        .withUserConfiguration(ReadinessFirst.class)
        .run(test);
  }

  private static LeaseStatus lease(ApplicationContext context) {
    return lease(context.getBean(NamespaceGenerator.class));
  }

  private static LeaseStatus lease(NamespaceGenerator generator) {
    return generator.current().flatMap(ids -> ((Snowflake) ids).leaseStatus()).orElseThrow();
  }

  @Test
  void aClockThatIsNotTrustedIsReportedAndIsNoFailure() {
    AtomicLong ahead = new AtomicLong();
    RegisterStore withClock =
        new ForwardingRegisterStore(new InMemoryRegisterStore()) {
          @Override
          public OptionalLong currentTimeMillis() {
            return OptionalLong.of(System.currentTimeMillis() + ahead.get());
          }
        };
    Applications.bare()
        .withBean(RegisterStore.class, () -> withClock)
        .withPropertyValues(
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.firn.enabled=true",
            "firn.window=2s",
            "firn.namespaces.orders.max-wait=0s")
        .run(
            context -> {
              assertThat(report(context, "orders")).doesNotContainKey("clock_doubt");
              ahead.set(-10_000);
              until(() -> report(context, "orders").containsKey("clock_doubt"));
              assertThat(report(context, "orders")).doesNotContainKey("last_error");
            });
  }

  @Test
  void aListenerThatThrowsHidesNothingFromTheOthers() {
    application
        .withBean(ApplicationAvailabilityBean.class)
        .withUserConfiguration(FailingListener.class)
        .run(
            context -> {
              AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
              MeterRegistry meters = new SimpleMeterRegistry();
              context.getBean(MeterBinder.class).bindTo(meters);

              store.down(true);
              until(() -> !issues(context));
              until(() -> readiness(context) == ReadinessState.REFUSING_TRAFFIC);

              store.down(false);
              until(() -> renewals(meters, "renewed") > 0);
            });
  }

  @Test
  void readinessIsLeftAloneWhereThatIsAskedFor() {
    application
        .withPropertyValues("firn.readiness=false")
        .run(context -> assertThat(context).doesNotHaveBean(Readiness.class));
  }

  @Test
  void theHealthIndicatorCanBeDisabledOrReplaced() {
    application
        .withPropertyValues("management.health.firn.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("firnHealthIndicator"));
    application
        .withBean("firnHealthIndicator", String.class, () -> "own")
        .run(context -> assertThat(context.getBean("firnHealthIndicator")).isEqualTo("own"));
  }

  @Test
  void aNamespaceThatOnlyAnEntityNamesIsInServiceBeforeItsFirstId() {
    application.run(
        context -> {
          IdGenerator items = context.getBean(Generators.class).named("items");
          assertThat(report(context, "items")).containsEntry("running", false);
          assertThat(health(context)).isEqualTo("UP");
          items.nextId();
          assertThat(report(context, "items")).containsEntry("running", true);
          assertThat(health(context)).isEqualTo("UP");
        });
  }

  @Test
  void stoppedGeneratorIsOutOfService() {
    application.run(
        context -> {
          context.getSourceApplicationContext().stop();
          assertThat(health(context)).isEqualTo("OUT_OF_SERVICE");
          assertThat(report(context, "orders")).containsEntry("running", false);
        });
  }

  @Test
  @SuppressWarnings("unchecked")
  void theEndpointShowsLeasesAndLayouts() {
    application
        .withPropertyValues("firn.namespaces.invoices.type=segment", "firn.worker=9")
        .run(
            context -> {
              context.getBean("ordersIds", IdGenerator.class).nextId();
              assertThat(context.getBean("invoicesIds", IdGenerator.class).nextId()).isEqualTo(1);
              assertThat(report(context, "orders"))
                  .containsEntry("layout", "41t+10w+12s@2026-01-01T00:00:00Z/1ms")
                  .containsEntry("issued", 1L)
                  .containsEntry("store", "switched:");
              assertThat((Map<String, Object>) report(context, "orders").get("worker"))
                  .containsEntry("worker", 9L)
                  .containsEntry("state", "held")
                  .containsEntry("own", true)
                  .containsEntry("pid", ProcessHandle.current().pid());
              assertThat(report(context, "invoices"))
                  .containsEntry("issued", 1L)
                  .containsEntry("step", 1000L);
            });
  }

  /** The server's HTTP interface and the command line follow the same schema. */
  @Test
  @SuppressWarnings("unchecked")
  void aWorkerHasTheFieldsThatTheServersSchemaRequires() throws Exception {
    Matcher schema = WORKER_SCHEMA.matcher(Files.readString(OPEN_API));
    assertThat(schema.find()).isTrue();
    List<String> fields = List.of(schema.group(1).replaceAll("[\"\\s]", "").split(","));
    application.run(
        context ->
            assertThat(((Map<String, Object>) report(context, "orders").get("worker")).keySet())
                .containsExactlyElementsOf(fields));
  }

  /** The command line and HTTP read the store; the endpoint does not. */
  @Test
  @SuppressWarnings("unchecked")
  void aWorkerWithALowMarkHasTheFieldsThatTheCommandLineAndHttpShow() {
    application.run(
        context -> {
          context.getBean("ordersIds", IdGenerator.class).nextId();
          assertThat(Watermark.of(store, "orders").current()).isNotNull();
          until(() -> stored().entry().low().isPresent());
          Instant first = stored().entry().low().orElseThrow();
          until(() -> stored().entry().low().orElseThrow().isAfter(first));
          assertThat(((Map<String, Object>) report(context, "orders").get("worker")).keySet())
              .containsExactlyElementsOf(stored().values().keySet())
              .contains("low");
        });
  }

  private WorkerFields stored() {
    Namespace namespace = Namespace.of(store, "orders");
    return new WorkerFields(
        "orders", namespace.workers().get(0), namespace.mark(), Instant.now(), Optional.empty());
  }

  @Test
  @SuppressWarnings("unchecked")
  void theEndpointTakesAnIdApart() {
    application
        .withPropertyValues(
            "firn.namespaces.carts.layout=js_safe", "firn.namespaces.invoices.type=segment")
        .run(
            context -> {
              FirnEndpoint endpoint = context.getBean(FirnEndpoint.class);
              Map<String, Object> readings = endpoint.decode(175928847299117063L);
              assertThat(readings).containsOnlyKeys("orders");
              assertThat((Map<String, Object>) readings.get("orders"))
                  .containsEntry("id", "175928847299117063")
                  .containsEntry("worker", 32L)
                  .containsEntry("sequence", 7L)
                  .doesNotContainKey("datacenter");
              assertThat(endpoint.decode(5)).containsOnlyKeys("orders", "carts");
              assertThat(endpoint.decode(-1)).isNull();
            });
  }

  @Test
  void bindsMetersOfGeneratorsAndLeases() {
    application
        .withPropertyValues("firn.namespaces.invoices.type=segment", "firn.worker=9")
        .run(
            context -> {
              MeterRegistry meters = new SimpleMeterRegistry();
              context.getBean(MeterBinder.class).bindTo(meters);
              context.getBean("ordersIds", IdGenerator.class).nextId();
              context.getBean("invoicesIds", IdGenerator.class).nextId();
              assertThat(issued(meters, "orders")).isEqualTo(1);
              assertThat(issued(meters, "invoices")).isEqualTo(1);
              assertThat(meters.get("firn.worker.id").gauge().value()).isEqualTo(9);
              assertThat(meters.get("firn.lease.remaining").gauge().value()).isBetween(-60.0, 4.0);
              assertThat(meters.get("firn.layout.remaining").gauge().value()).isGreaterThan(1e9);
              assertThat(meters.get("firn.segment.left").gauge().value()).isGreaterThan(998);
              assertThat(renewals(meters, "acquired")).isEqualTo(1);
              assertThat(renewals(meters, "lost")).isZero();
              until(() -> renewals(meters, "renewed") > 0);
            });
  }

  @Test
  void nothingOfActuatorOrMicrometerIsNeeded() {
    application
        .withClassLoader(new FilteredClassLoader(MeterRegistry.class, Endpoint.class))
        .run(
            context -> {
              assertThat(issues(context)).isTrue();
              assertThat(context)
                  .doesNotHaveBean(ContextMeters.class)
                  .doesNotHaveBean(FirnEndpoint.class);
            });
  }

  private static double issued(MeterRegistry meters, String namespace) {
    return meters.get("firn.issued").tag("namespace", namespace).functionCounter().count();
  }

  private static double renewals(MeterRegistry meters, String outcome) {
    return meters.get("firn.lease.renewals").tag("outcome", outcome).functionCounter().count();
  }

  private static boolean issues(ApplicationContext context) {
    try {
      return context.getBean("ordersIds", IdGenerator.class).nextId() > 0;
    } catch (FirnException e) {
      return false;
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> report(ApplicationContext context, String namespace) {
    return (Map<String, Object>) context.getBean(FirnEndpoint.class).namespaces().get(namespace);
  }

  /** By reflection: the types of Boot 3 and Boot 4 are not the same. */
  private static String health(ApplicationContext context) {
    try {
      Object indicator = context.getBean("firnHealthIndicator");
      Object health = indicator.getClass().getMethod("health").invoke(indicator);
      return health.getClass().getMethod("getStatus").invoke(health).toString();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static ReadinessState readiness(ApplicationContext context) {
    return context.getBean(ApplicationAvailability.class).getReadinessState();
  }

  private static void until(BooleanSupplier reached) {
    long end = System.nanoTime() + MAX_WAIT_NANOS;
    while (!reached.getAsBoolean()) {
      assertThat(System.nanoTime()).as("it should have happened by now").isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /** Spring notifies listeners of the same order in the order in which they were made. */
  @Configuration(proxyBeanMethods = false)
  static class ReadinessFirst {

    @Bean
    Runnable early(Readiness readiness) {
      return () -> assertThat(readiness).isNotNull();
    }

    @Bean
    ApplicationAvailabilityBean availability() {
      return new ApplicationAvailabilityBean();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class FailingListener {

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    LeaseListener failing() {
      return new LeaseListener() {
        @Override
        public void renewed(LeaseStatus status) {
          throw new UnsupportedOperationException("renewed");
        }

        @Override
        public void expired(LeaseStatus status) {
          throw new UnsupportedOperationException("expired");
        }
      };
    }
  }
}
