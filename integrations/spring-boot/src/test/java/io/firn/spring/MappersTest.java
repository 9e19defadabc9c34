package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.baomidou.mybatisplus.core.incrementer.IdentifierGenerator;
import io.firn.IdGenerator;
import io.firn.Snowflake;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.mybatis.IssuedIds;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.testkit.SwitchedStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;

/** The generators reach the mappers of entities that the application has. */
final class MappersTest {

  @Test
  void hibernateGetsThemByName() {
    Applications.withStore(
            "firn.namespaces.default.layout=classic", "firn.namespaces.orders.layout=classic")
        .run(
            context -> {
              Map<String, Object> settings = new HashMap<>();
              settings.put("firn.generators.orders", "mine");
              customize(context, settings);
              assertThat(settings)
                  .containsOnlyKeys("firn.generators", "firn.generators.orders")
                  .containsEntry("firn.generators.orders", "mine");
              assertThat(named(settings, "")).isSameAs(context.getBean(IdGenerator.class));
              assertThat(named(settings, "default")).isSameAs(context.getBean("defaultIds"));
              assertThat(named(settings, "orders")).isSameAs(context.getBean("ordersIds"));
            });
  }

  @Test
  void ofSeveralGeneratorsNoneIsTheUnnamedOne() {
    Applications.withStore(
            "firn.namespaces.carts.layout=classic", "firn.namespaces.orders.layout=classic")
        .run(
            context -> {
              Map<String, Object> settings = new HashMap<>();
              customize(context, settings);
              assertThatThrownBy(() -> named(settings, ""))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessage(
                      "@FirnId: no name (expected: one of [carts, orders], or a namespace"
                          + " 'default')");
              assertThat(context).doesNotHaveBean(IdentifierGenerator.class);
            });
  }

  @Test
  void aGeneratorOfTheApplicationsOwnReachesThemToo() {
    IdGenerator own = Snowflake.builder().worker(7).build();
    Applications.bare()
        .withBean(IdGenerator.class, () -> own)
        .run(
            context -> {
              Map<String, Object> settings = new HashMap<>();
              customize(context, settings);
              assertThat(named(settings, "")).isSameAs(own);
              assertThat(context).hasSingleBean(IssuedIds.class);
            });
  }

  @Test
  void myBatisPlusGetsTheUnnamedOne() {
    Applications.withStore()
        .run(
            context ->
                assertThat(context.getBean(IdentifierGenerator.class).nextId(this).longValue())
                    .isPositive());
  }

  @Test
  void myBatisGetsThemAll() {
    Applications.withStore("firn.namespaces.orders.layout=classic")
        .run(context -> assertThat(context).hasSingleBean(IssuedIds.class));
  }

  @Test
  void namespaceThatOnlyAnEntityNamesHasTheDefaultSettings() {
    Applications.withStore("firn.namespaces.orders.layout=twitter")
        .run(
            context -> {
              Map<String, Object> settings = new HashMap<>();
              customize(context, settings);
              IdGenerator items = named(settings, "items");
              assertThat(named(settings, "items")).isSameAs(items);
              assertThat(items.nextId()).isPositive();
              assertThat(held(context, "items")).hasSize(1);
              assertThat(context.getBean(IdGenerator.class))
                  .isSameAs(context.getBean("ordersIds"))
                  .isNotSameAs(items);
              context.getSourceApplicationContext().stop();
              assertThat(held(context, "items")).isEmpty();
            });
  }

  @Test
  void failureOfALeaseAtTheFirstIdNamesTheCure() {
    SwitchedStore store = new SwitchedStore();
    Applications.withStore(store)
        .withPropertyValues("firn.acquire-timeout=0s", "firn.namespaces.orders.max-wait=1s")
        .run(
            context -> {
              Map<String, Object> settings = new HashMap<>();
              customize(context, settings);
              IdGenerator items = named(settings, "items");
              store.down(true);
              assertThatThrownBy(items::nextId)
                  .isInstanceOf(StoreException.class)
                  .hasMessageStartingWith("Store switched: did not answer")
                  .hasMessageEndingWith(
                      "; namespace items leases its worker ID at its first ID, when transactions"
                          + " may hold all connections of the pool: name it in firn.namespaces");
            });
  }

  private static List<WorkerEntry> held(ApplicationContext context, String namespace) {
    return Namespace.of(context.getBean(RegisterStore.class), namespace).workers().stream()
        .filter(WorkerEntry::held)
        .toList();
  }

  @SuppressWarnings("unchecked")
  private static IdGenerator named(Map<String, Object> settings, String name) {
    return ((Function<String, IdGenerator>) settings.get("firn.generators")).apply(name);
  }

  /** By reflection: the types of Boot 3 and Boot 4 are not the same. */
  private static void customize(ApplicationContext context, Map<String, Object> settings) {
    try {
      Object customizer = context.getBean("firnHibernateProperties");
      customizer.getClass().getMethod("customize", Map.class).invoke(customizer, settings);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
