package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdGenerator;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.store.Binding;
import io.firn.store.ForwardingRegisterStore;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.WriteResult;
import io.firn.testkit.SwitchedStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests of the text that an operator reads when an application does not start. */
final class FailuresTest {

  private static ConfigurableApplicationContext start(Class<?> application, String... arguments) {
    SpringApplication starting = new SpringApplication(Starter.class, application);
    starting.setWebApplicationType(WebApplicationType.NONE);
    List<String> all = new ArrayList<>(List.of("--spring.main.banner-mode=off"));
    all.addAll(List.of(arguments));
    return starting.run(all.toArray(String[]::new));
  }

  /** Gets what Boot prints. Boot makes it, by its name in {@code spring.factories}. */
  static final class Reporter implements FailureAnalysisReporter {

    private static final List<FailureAnalysis> REPORTED = new ArrayList<>();

    @Override
    public void report(FailureAnalysis analysis) {
      REPORTED.add(analysis);
    }
  }

  private static void assertExplained(
      Class<?> application, String[] arguments, String description, String action) {
    Reporter.REPORTED.clear();
    assertThatThrownBy(() -> start(application, arguments));
    assertThat(Reporter.REPORTED)
        .singleElement()
        .satisfies(
            analysis -> {
              assertThat(analysis.getDescription()).contains(description);
              assertThat(analysis.getAction()).contains(action);
            });
  }

  @Test
  void workerOutOfRange() {
    assertExplained(
        InMemory.class,
        new String[] {"--firn.namespaces=orders", "--firn.worker=5000"},
        "namespace orders: worker: 5000 (expected: 0..1023",
        "firn.namespaces.NAME.*");
  }

  @Test
  void windowTooShort() {
    assertExplained(
        InMemory.class,
        new String[] {"--firn.window=1ms"},
        "namespace default: window: 1ms (expected: 100ms..24h)",
        "firn.namespaces.NAME.*");
  }

  @Test
  void leadTooLong() {
    assertExplained(
        InMemory.class,
        new String[] {"--firn.namespaces.orders.max-lead=16s"},
        "namespace orders: max-lead: 16s (expected: at most half the lease's window of 30s)",
        "firn.namespaces.NAME.*");
  }

  @Test
  void anotherLayout() {
    assertExplained(
        OtherLayout.class,
        new String[] {"--firn.namespaces.orders.layout=twitter"},
        "namespace orders: Namespace orders has layout ",
        "Set firn.namespaces.NAME.layout to the layout that the namespace has");
  }

  @Test
  void storeIsDown() {
    assertExplained(
        Down.class,
        new String[] {"--firn.acquire-timeout=1s"},
        "namespace default: Store switched: did not answer",
        "Check that the store of firn.store answers");
  }

  @Test
  void settlingTimeHasNotEnded() {
    assertExplained(
        Forgetful.class,
        new String[] {"--firn.namespaces.orders.after-loss=wait", "--firn.acquire-timeout=0s"},
        ", when its settling time ends",
        "Start again at the time in the message, or raise firn.acquire-timeout");
  }

  @Test
  void commitGuardWithoutScopes() {
    assertExplained(
        InMemory.class,
        new String[] {"--firn.namespaces.orders.commit-guard=true"},
        "namespace orders: commit-guard: true (expected: transaction-scopes too)",
        "firn.namespaces.NAME.*");
  }

  @Test
  void commitGuardWithoutADatabase() {
    assertExplained(
        InMemory.class,
        new String[] {
          "--firn.namespaces.orders.commit-guard=true",
          "--firn.namespaces.orders.transaction-scopes=true"
        },
        "namespace orders: commit-guard: true (expected: firn-jdbc, and one DataSource",
        "firn.namespaces.NAME.*");
  }

  @Test
  void workerOffsetWithoutAnOrdinal() {
    assertExplained(
        InMemory.class,
        new String[] {"--firn.worker-offset=100"},
        "namespace default: worker-offset: 100 (expected: only with worker: ordinal)",
        "firn.*");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "firn.window",
        "firn.acquireTimeout",
        "firn.namespaces.orders.type",
        "firn.namespaces.orders.carry-over",
        "firn.namespaces[orders.eu].max-lead"
      })
  void emptyValue(String property) {
    assertExplained(
        InMemory.class,
        new String[] {"--" + property + "="},
        property.toLowerCase(Locale.ROOT)
            + ": '', at \""
            + property
            + "\" from property source \"commandLineArgs\" (expected: a value, or not set)",
        "Set a value, or remove the property");
  }

  @Test
  void emptyValueBesideAnUnknownProperty() {
    assertExplained(
        InMemory.class,
        new String[] {"--firn.windows=3s", "--firn.window="},
        "(expected: a value, or not set)\nfirn.windows: not a property",
        "Correct the name of the property, or remove the property. Set a value");
  }

  @Test
  void settingThatAnEmptyNamespaceHides() {
    assertExplained(
        InMemory.class,
        new String[] {"--firn.namespaces.orders=", "--firn.namespaces.orders.layout=js_safe"},
        "firn.namespaces.orders.layout: js_safe, at \"firn.namespaces.orders.layout\" from property"
            + " source \"commandLineArgs\" (expected: no empty firn.namespaces.orders in another"
            + " source, which hides it)",
        "Remove the empty property");
  }

  @Test
  void listOfNamesBesideAnUnknownProperty() {
    Reporter.REPORTED.clear();
    assertThatThrownBy(
        () ->
            start(
                InMemory.class,
                "--firn.namespaces=orders, items",
                "--firn.namespaces.orders.max-leed=1s"));
    assertThat(Reporter.REPORTED)
        .singleElement()
        .satisfies(
            analysis ->
                assertThat(analysis.getDescription())
                    .startsWith("firn.namespaces.orders.max-leed: not a property")
                    .doesNotContain("firn.namespaces: "));
  }

  @Test
  void unknownPropertyOfANamespace() {
    assertExplained(
        InMemory.class,
        new String[] {"--firn.namespaces.orders.max-leed=1s"},
        "firn.namespaces.orders.max-leed: not a property, at \"firn.namespaces.orders.max-leed\""
            + " from property source \"commandLineArgs\""
            + " (expected: firn.namespaces.orders.max-lead)",
        "Correct the name of the property");
  }

  @ParameterizedTest
  @CsvSource({
    "firn.windows, firn.window",
    "firn.store.uri, firn.store",
    "firn.namespaces.orders.layout.name, firn.namespaces.orders.layout",
    "firn.namespace.orders.layout, firn.namespaces.orders.layout",
    "firn.max-leed, firn.namespaces.NAME.max-lead",
    "firn.aquire-timeout, firn.acquire-timeout"
  })
  void unknownPropertyShowsTheNearest(String property, String nearest) {
    assertExplained(
        InMemory.class,
        new String[] {"--" + property + "=1s"},
        " (expected: " + nearest + ")",
        "Correct the name of the property");
  }

  @Test
  void unknownPropertyWithoutANeighborShowsAll() {
    assertExplained(
        InMemory.class,
        new String[] {"--firn.teaspoons=1"},
        " (expected: firn.store, worker, worker-offset, ",
        "Correct the name of the property");
  }

  @ParameterizedTest
  @CsvSource({"type, segmant, snowflake or segment", "after-loss, later, ahead or wait"})
  void unknownChoice(String property, String value, String choices) {
    assertExplained(
        InMemory.class,
        new String[] {"--firn.namespaces.orders." + property + "=" + value},
        value + " (expected: " + choices + ")",
        "");
  }

  @Test
  void moduleIsMissing() {
    assertExplained(
        NoStore.class,
        new String[] {"--firn.store=zookeeper://localhost"},
        "(expected: the module firn-zookeeper on the class path, or one of ",
        "firn.namespaces.NAME.*");
  }

  @Test
  void severalDataSources() {
    assertExplained(
        TwoDatabases.class,
        new String[0],
        "no primary one among the DataSource beans main, archive",
        "mark one @Primary");
  }

  @Test
  void databaseIsDown() {
    assertExplained(
        NoDatabase.class,
        new String[] {"--firn.acquire-timeout=0s"},
        "namespace default: Store jdbc:",
        "Check that the store of firn.store answers");
  }

  @Test
  void namespaceThatIsInjectedIsNotNamed() {
    assertExplained(
        Injected.class,
        new String[] {"--firn.namespaces=orders"},
        "namespace bills: not set (expected: a key of firn.namespaces)",
        "firn.namespaces: bills");
  }

  @Test
  void namespaceWithADotThatIsInjectedIsNotNamed() {
    assertExplained(
        InjectedWithADot.class,
        new String[] {"--firn.namespaces=orders"},
        "namespace bills.eu: not set (expected: a key of firn.namespaces)",
        "    namespaces:\n        \"[bills.eu]\":\n          layout: classic");
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration(FirnAutoConfiguration.class)
  static class Starter {}

  @Configuration(proxyBeanMethods = false)
  static class NoStore {}

  @Configuration(proxyBeanMethods = false)
  static class InMemory {
    @Bean
    RegisterStore store() {
      return new InMemoryRegisterStore();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Forgetful {
    @Bean
    RegisterStore store() {
      return new ForwardingRegisterStore(new InMemoryRegisterStore()) {
        @Override
        public boolean mayForget() {
          return true;
        }

        @Override
        public Optional<Snapshot> snapshot(List<String> names) {
          return Optional.of(new Snapshot("run1", System.currentTimeMillis(), readAll(names)));
        }

        @Override
        public WriteResult compareAndSet(
            String name, long expectedVersion, String value, Binding binding) {
          return compareAndSet(name, expectedVersion, value);
        }
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OtherLayout {
    @Bean
    RegisterStore store() {
      RegisterStore store = new InMemoryRegisterStore();
      Snowflake.builder().layout(IdLayout.DISCORD).lease(store, "orders").build().close();
      return store;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Down {
    @Bean
    RegisterStore store() {
      SwitchedStore store = new SwitchedStore();
      store.down(true);
      return store;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoDatabases {
    @Bean
    DataSource main() {
      return new JdbcDataSource();
    }

    @Bean
    DataSource archive() {
      return new JdbcDataSource();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class NoDatabase {
    @Bean
    DataSource main() {
      JdbcDataSource source = new JdbcDataSource();
      source.setURL("jdbc:h2:tcp://127.0.0.1:1/none");
      return source;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Injected extends InMemory {
    @Bean
    Object user(@Qualifier("bills") IdGenerator bills) {
      return bills;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class InjectedWithADot extends InMemory {
    @Bean
    Object user(@Qualifier("bills.eu") IdGenerator bills) {
      return bills;
    }
  }
}
