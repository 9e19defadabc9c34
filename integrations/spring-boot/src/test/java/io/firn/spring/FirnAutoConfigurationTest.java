package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.GeneratorClosedException;
import io.firn.IdGenerator;
import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.Snowflake;
import io.firn.jdbc.JdbcRegisterStore;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentSource;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.testkit.SwitchedStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

final class FirnAutoConfigurationTest {

  @Test
  void aGeneratorIsThereByTypeWithoutAnyNamespaceNamed() {
    Applications.withStore()
        .run(
            context -> {
              IdGenerator ids = context.getBean(IdGenerator.class);
              assertThat(ids.nextId()).isPositive().isLessThan(ids.nextId());
              assertThat(held(context, "default")).hasSize(1);
            });
  }

  @Test
  void everyNamespaceHasAGeneratorThatItsNameQualifies() {
    Applications.withStore(
            "firn.namespaces.orders.layout=twitter",
            "firn.namespaces.invoices.type=segment",
            "firn.namespaces.invoices.step=10",
            "firn.namespaces.invoices.initial=500",
            "firn.namespaces.default.layout=js_safe")
        .withUserConfiguration(Injected.class)
        .run(
            context -> {
              Picked picked = context.getBean(Picked.class);
              assertThat(IdLayout.TWITTER.parse(picked.orders().nextId()).instant())
                  .isBetween("2026-01-01T00:00:00Z", "2090-01-01T00:00:00Z");
              assertThat(picked.invoices().nextId()).isEqualTo(500);
              assertThat(picked.primary().nextId()).isLessThan(1L << 53);
              assertThat(picked.primary()).isNotSameAs(picked.orders());
              assertThat(context.getBeanNamesForType(IdGenerator.class))
                  .containsExactlyInAnyOrder("ordersIds", "invoicesIds", "defaultIds");
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"firn.namespaces=orders, items", "firn.namespaces.orders="})
  void namespaceWithoutSettingsHasTheDefaultOnes(String property) {
    Applications.withStore(property)
        .run(
            context -> {
              assertThat(context).hasBean("ordersIds").doesNotHaveBean("defaultIds");
              context.getBeansOfType(IdGenerator.class).values().forEach(IdGenerator::nextId);
              assertThat(held(context, "orders")).hasSize(1);
              assertThat(held(context, "items")).hasSize(property.contains("items") ? 1 : 0);
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "firn.windows=3s",
        "firn.namespace.orders.layout=twitter",
        "firn.namespaces.orders.max-leed=1s"
      })
  void refusesAPropertyThatItDoesNotHave(String property) {
    Applications.withStore("firn.namespaces.orders.layout=classic", property)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining(
                        "[" + property.substring(0, property.indexOf('=')) + "]"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders.eu", "1", "true"})
  void namespaceInBracketsHasAnyName(String name) {
    Applications.withStore("firn.namespaces[" + name + "].layout=js_safe")
        .run(
            context -> {
              assertThat(context).hasNotFailed().hasBean(name + "Ids");
              assertThat(context.getBean(IdGenerator.class).nextId()).isLessThan(1L << 53);
              assertThat(held(context, name)).hasSize(1);
            });
  }

  @Test
  void keysOfYamlAreNamespaces() throws IOException {
    String yaml =
        """
        firn:
          namespaces:
            "[orders.eu]": {layout: js_safe}
            1: {type: segment}
        """;
    List<PropertySource<?>> loaded =
        new YamlPropertySourceLoader()
            .load("yaml", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
    Applications.withStore()
        .withInitializer(
            context -> context.getEnvironment().getPropertySources().addLast(loaded.get(0)))
        .run(
            context ->
                assertThat(context.getBeanNamesForType(IdGenerator.class))
                    .containsExactlyInAnyOrder("orders.euIds", "1Ids"));
  }

  @Test
  void listOfNamesIsJoinedWithTheNamespacesThatHaveSettings() {
    Applications.withStore(
            "firn.namespaces=orders, items",
            "firn.namespaces.bills.type=segment",
            "firn.namespaces.items.layout=js_safe")
        .run(
            context -> {
              assertThat(context.getBeanNamesForType(IdGenerator.class))
                  .containsExactlyInAnyOrder("ordersIds", "itemsIds", "billsIds");
              assertThat(context.getBean("billsIds", IdGenerator.class).nextId()).isOne();
              assertThat(context.getBean("itemsIds", IdGenerator.class).nextId())
                  .isLessThan(1L << 53);
              assertThat(context.getBean("ordersIds", IdGenerator.class).nextId())
                  .isGreaterThan(1L << 53);
            });
  }

  @Test
  void refusesAListThatTurnsIntoNumberedNamespaces() {
    Applications.withStore("firn.namespaces[0]=orders")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining(
                        "a list of names is written 'namespaces: orders, items'"));
  }

  @Test
  void theOnlyNamespaceIsInjectedByType() {
    Applications.withStore("firn.namespaces.orders.layout=discord")
        .run(
            context -> {
              context.getBean(IdGenerator.class).nextId();
              assertThat(held(context, "orders")).hasSize(1);
              assertThat(held(context, "default")).isEmpty();
            });
  }

  @Test
  void ofSeveralNamespacesNoneIsGuessed() {
    Applications.withStore(
            "firn.namespaces.orders.type=snowflake", "firn.namespaces.carts.type=snowflake")
        .run(
            context ->
                assertThatThrownBy(() -> context.getBean(IdGenerator.class))
                    .isInstanceOf(NoUniqueBeanDefinitionException.class));
  }

  @Test
  void anApplicationsOwnGeneratorTakesThePlaceOfTheDefault() {
    Snowflake own = Snowflake.builder().worker(7).build();
    Applications.bare()
        .withBean(IdGenerator.class, () -> own)
        .run(context -> assertThat(context.getBean(IdGenerator.class)).isSameAs(own));
  }

  @Test
  void leasesFromTheApplicationsDatabase() {
    database()
        .run(
            context -> {
              assertThat(context.getBean(IdGenerator.class).nextId()).isPositive();
              assertThat(context.getBean(RegisterStore.class))
                  .isInstanceOf(JdbcRegisterStore.class);
              assertThat(held(context, "default")).hasSize(1);
            });
  }

  @Test
  void anAddressIsAboveTheApplicationsDatabase() {
    database()
        .withPropertyValues("firn.store=memory:")
        .run(context -> assertThat(context.getBean(RegisterStore.class)).hasToString("memory:"));
  }

  @Test
  void ofTwoThatTheApplicationHasNoneIsGuessed() {
    ApplicationContextRunner both =
        database()
            .withBean(
                StoreSource.class, () -> new StoreSource("redis", settings -> new SwitchedStore()));
    both.run(
        context ->
            assertThat(context.getStartupFailure())
                .hasRootCauseMessage(
                    "firn.store: not set (expected: one of datasource, redis, or the address of a"
                        + " store to lease worker IDs from, which are never guessed)"));
    both.withPropertyValues("firn.store=redis")
        .run(context -> assertThat(context.getBean(RegisterStore.class)).hasToString("switched:"));
    both.withPropertyValues("firn.store=datasource")
        .run(
            context ->
                assertThat(context.getBean(RegisterStore.class))
                    .isInstanceOf(JdbcRegisterStore.class));
  }

  @Test
  void doesNotStartWithoutAStore() {
    Applications.bare()
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasRootCauseMessage(
                        "firn.store: not set (expected: the address of a store to lease worker"
                            + " IDs from, which are never guessed)"));
    database()
        .withClassLoader(new FilteredClassLoader(JdbcRegisterStore.class))
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasRootCauseInstanceOf(NoStoreException.class));
  }

  @Test
  void aFailureWithoutAStoreIsExplained() {
    Applications.bare()
        .run(
            context -> {
              var analysis = new FirnFailureAnalyzer().analyze(context.getStartupFailure());
              assertThat(analysis.getDescription())
                  .startsWith("namespace default: firn.store: not set");
              assertThat(analysis.getAction())
                  .contains("    firn:\n      store: redis://HOST:6379")
                  .contains("\n      worker: lease")
                  .contains("io.firn:firn-jdbc");
            });
  }

  @Test
  void doesNotStartWhileTheStoreIsDown() {
    SwitchedStore store = new SwitchedStore();
    store.down(true);
    Applications.withStore(store)
        .withPropertyValues("firn.acquire-timeout=1s")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasRootCauseMessage("Store switched: did not answer"));
  }

  @Test
  void refusesAnUnknownLayoutByItsProperty() {
    Applications.withStore("firn.namespaces.orders.layout=toothbrush")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("toothbrush"));
  }

  @Test
  void aNamespaceHasEverySettingOfAGenerator(@TempDir Path directory) {
    IdLayout layout = IdLayout.of("37t+5d+5w+16s@2026-01-01T00:00:00Z/1ms");
    Applications.withStore(
            "firn.worker=7",
            "firn.namespaces.orders.layout=" + layout,
            "firn.namespaces.orders.next-layout=classic",
            "firn.namespaces.orders.datacenter=3",
            "firn.namespaces.orders.worker=4",
            "firn.namespaces.orders.instance=till-3",
            "firn.namespaces.orders.window=20s",
            "firn.namespaces.orders.acquire-timeout=3s",
            "firn.namespaces.orders.max-clock-skew=4s",
            "firn.namespaces.orders.max-split=5s",
            "firn.namespaces.orders.after-loss=wait",
            "firn.namespaces.orders.settle-time=2m",
            "firn.namespaces.orders.carry-over=" + directory,
            "firn.namespaces.orders.max-lead=1s",
            "firn.namespaces.orders.max-wait=5ms",
            "firn.namespaces.orders.sequence-start=zero",
            "firn.namespaces.orders.allow-under-ten-years=true",
            "firn.namespaces.bills.clock-policy=twitter")
        .run(
            context -> {
              Map<String, IdGenerator> ids = context.getBeansOfType(IdGenerator.class);
              IdParts order = layout.parse(ids.get("ordersIds").nextId());
              assertThat(order.datacenter()).isEqualTo(3);
              assertThat(order.worker()).isEqualTo(4);
              assertThat(order.sequence()).isZero();
              IdParts bill = IdLayout.CLASSIC.parse(ids.get("billsIds").nextId());
              assertThat(bill.worker()).isEqualTo(7);
              assertThat(bill.sequence()).isZero();
              assertThat(holder(context, "orders")).isEqualTo("till-3");
            });
  }

  private static String holder(ApplicationContext context, String namespace) {
    RegisterStore store = context.getBean(RegisterStore.class);
    return Namespace.of(store, namespace).workers().get(0).holder();
  }

  @ParameterizedTest
  @ValueSource(strings = {"acquire-timeout", "max-clock-skew", "max-split"})
  void aNamespaceInheritsTheTimesOfAllNamespaces(String setting) {
    Applications.withStore("firn." + setting + "=25h", "firn.namespaces.orders.window=20s")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining(": 25h (expected: 0ms..24h)"));
    Applications.withStore("firn." + setting + "=25h", "firn.namespaces.orders." + setting + "=10s")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void aNamespaceInheritsTheNameOfTheProcess() {
    Applications.withStore("firn.instance=till-4", "firn.namespaces.orders.window=20s")
        .run(
            context -> {
              assertThat(context.getBean("ordersIds", IdGenerator.class).nextId()).isPositive();
              assertThat(holder(context, "orders")).isEqualTo("till-4");
            });
  }

  @Test
  void refusesAClockPolicyBesideWhatItSets() {
    Applications.withStore(
            "firn.namespaces.orders.clock-policy=leaf", "firn.namespaces.orders.max-lead=1s")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessage("max-lead: 1s (expected: not set beside clock-policy)"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"step=100", "initial=500"})
  void refusesASettingOfSegmentsForASnowflake(String setting) {
    assertRefused(
        setting.replace("=", ": ") + " (expected: only with type: segment)",
        "firn.namespaces.orders." + setting);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "layout=twitter",
        "next-layout=twitter",
        "datacenter=1",
        "worker=lease",
        "instance=till-3",
        "window=20s",
        "acquire-timeout=3s",
        "max-clock-skew=4s",
        "max-split=5s",
        "after-loss=wait",
        "settle-time=2m",
        "carry-over=directory",
        "max-lead=1s",
        "sequence-start=zero",
        "clock-policy=shardingsphere(10ms,1)",
        "allow-under-ten-years=true",
        "transaction-scopes=true",
        "commit-guard=true"
      })
  void refusesASettingOfASnowflakeForSegments(String setting) {
    assertRefused(
        setting.replace("=", ": ") + " (expected: only with type: snowflake)",
        "firn.namespaces.orders.type=segment",
        "firn.namespaces.orders." + setting);
  }

  @Test
  void segmentsIgnoreWhatIsSetForAllNamespaces() {
    Applications.withStore(
            "firn.worker=7",
            "firn.window=20s",
            "firn.namespaces.orders.type=segment",
            "firn.namespaces.orders.transaction-scopes=false")
        .run(context -> assertThat(context.getBean(IdGenerator.class).nextId()).isOne());
  }

  @Test
  void refusesTheFirstNumberOfACounterThatABeanKeeps() {
    Applications.withStore(
            "firn.namespaces.orders.type=segment", "firn.namespaces.orders.initial=500")
        .withBean(SegmentSource.class, () -> RegisterSegments.of(new InMemoryRegisterStore()))
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessage("initial: 500 (expected: not set beside a SegmentSource bean)"));
  }

  private static void assertRefused(String message, String... properties) {
    Applications.withStore(properties)
        .run(context -> assertThat(context.getStartupFailure()).rootCause().hasMessage(message));
  }

  @Test
  void givesBackItsWorkerAtTheEnd() {
    SwitchedStore store = new SwitchedStore();
    ApplicationContextRunner pinned =
        Applications.withStore(store)
            .withPropertyValues("firn.worker=7", "firn.acquire-timeout=0s");
    for (int round = 0; round < 3; round++) {
      pinned.run(
          context -> {
            assertThat(context.getBean(IdGenerator.class).nextId()).isPositive();
            assertThat(held(context, "default"))
                .extracting(WorkerEntry::worker)
                .containsExactly(7L);
          });
    }
    assertThat(held(store, "default")).isEmpty();
  }

  @Test
  void anOrdinalIsTakenUnderALease() {
    SwitchedStore store = new SwitchedStore();
    ApplicationContextRunner first =
        Applications.withStore(store)
            .withPropertyValues(
                "firn.worker=ordinal",
                "firn.worker-offset=100",
                "firn.acquire-timeout=0s",
                "POD_INDEX=3");
    first.run(
        context -> {
          assertThat(held(context, "default"))
              .extracting(WorkerEntry::worker)
              .containsExactly(103L);
          first.run(
              second ->
                  assertThat(second.getStartupFailure())
                      .rootCause()
                      .hasMessageContaining("Worker 103 "));
        });
  }

  @Test
  void aNamespaceTakesTheOrdinalOrAnyWorkerWhereTheOthersHaveANumber() {
    Applications.withStore(
            "firn.worker=7",
            "firn.worker-offset=100",
            "firn.namespaces.orders.worker=ordinal",
            "firn.namespaces.bills.worker=lease",
            "POD_INDEX=3")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(held(context, "orders"))
                  .extracting(WorkerEntry::worker)
                  .containsExactly(103L);
              assertThat(held(context, "bills")).extracting(WorkerEntry::worker).doesNotContain(7L);
            });
  }

  /** One store may serve processes of several datacenters, each with a number of its own. */
  @ParameterizedTest
  @ValueSource(strings = {"firn.worker=5", "firn.namespaces.orders.worker=5"})
  void aNumberWithADatacenterDoesNotBindTheStoreToIt(String worker) {
    SwitchedStore store = new SwitchedStore();
    Applications.withStore(store)
        .withPropertyValues(
            worker, "firn.namespaces.orders.layout=region", "firn.namespaces.orders.datacenter=3")
        .run(
            context -> {
              IdGenerator ids = context.getBean(IdGenerator.class);
              IdParts parts = IdLayout.REGION.parse(ids.nextId());
              assertThat(parts.datacenter()).isEqualTo(3);
              assertThat(parts.worker()).isEqualTo(5);
              assertThat(Namespace.of(store, "orders").homes()).hasToString("none");
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"firn.worker=lots", "firn.namespaces.default.worker=lots"})
  void refusesAWorkerThatIsNone(String worker) {
    Applications.withStore(worker)
        .run(
            context ->
                assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("lots"));
  }

  @Test
  void leasesAgainWhenItStartsAgain() {
    Applications.withStore()
        .run(
            context -> {
              IdGenerator ids = context.getBean(IdGenerator.class);
              long before = ids.nextId();
              context.getSourceApplicationContext().stop();
              assertThat(held(context, "default")).isEmpty();
              assertThatThrownBy(ids::nextId).isInstanceOf(GeneratorClosedException.class);
              context.getSourceApplicationContext().start();
              assertThat(held(context, "default")).hasSize(1);
              assertThat(ids.nextId()).isGreaterThan(before);
            });
  }

  @Test
  void generatorThatIssuesBeforeTheStartHasALeaseToo() {
    Applications.withStore()
        .withUserConfiguration(Early.class)
        .run(context -> assertThat(context.getBean(Long.class)).isPositive());
  }

  @ParameterizedTest
  @ValueSource(strings = {"snowflake", "segment"})
  void startThatFailsAfterAnIdGivesBackWhatItTook(String type) {
    String address = "jdbc:h2:mem:failing-" + type + ";DB_CLOSE_DELAY=-1";
    Applications.bare()
        .withPropertyValues("firn.store=" + address, "firn.namespaces.orders.type=" + type)
        .withUserConfiguration(Early.class, Failing.class)
        .run(context -> assertThat(context).hasFailed());
    try (RegisterStore store = RegisterStore.open(address)) {
      assertThat(held(store, "orders")).isEmpty();
      if (type.equals("snowflake")) {
        assertThat(Namespace.of(store, "orders").workers()).hasSize(1);
      } else {
        assertThat(RegisterSegments.of(store).next("orders", 1).first()).isEqualTo(2);
      }
    }
  }

  @Test
  void propertiesShowNoSecret() {
    Applications.withStore("firn.store=redis://user:hunter2@localhost")
        .run(
            context ->
                assertThat(context.getBean(FirnProperties.class).toString())
                    .doesNotContain("hunter2"));
  }

  private static ApplicationContextRunner database() {
    return Applications.bare()
        .withBean(
            DataSource.class,
            () -> {
              JdbcDataSource source = new JdbcDataSource();
              source.setURL("jdbc:h2:mem:starter;DB_CLOSE_DELAY=-1");
              return source;
            });
  }

  private static List<WorkerEntry> held(ApplicationContext context, String namespace) {
    return held(context.getBean(RegisterStore.class), namespace);
  }

  private static List<WorkerEntry> held(RegisterStore store, String namespace) {
    return Namespace.of(store, namespace).workers().stream().filter(WorkerEntry::held).toList();
  }

  record Picked(IdGenerator primary, IdGenerator orders, IdGenerator invoices) {}

  @Configuration(proxyBeanMethods = false)
  static class Injected {
    @Bean
    Picked picked(
        IdGenerator primary,
        @Qualifier("orders") IdGenerator orders,
        @Qualifier("invoices") IdGenerator invoices) {
      return new Picked(primary, orders, invoices);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Early {
    @Bean
    Long first(IdGenerator ids) {
      return ids.nextId();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Failing {
    @Bean
    String second(Long first) {
      throw new IllegalStateException("planted after ID " + first);
    }
  }
}
