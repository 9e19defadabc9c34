package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.baomidou.mybatisplus.core.incrementer.IdentifierGenerator;
import io.firn.IdGenerator;
import io.firn.Snowflake;
import io.firn.mybatis.IssuedIds;
import java.util.HashMap;
import java.util.Map;
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
                  .containsEntry("firn.generator", context.getBean(IdGenerator.class))
                  .containsEntry("firn.generators.default", context.getBean("defaultIds"))
                  .containsEntry("firn.generators.orders", "mine");
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
              assertThat(settings)
                  .containsOnlyKeys("firn.generators.carts", "firn.generators.orders");
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
              assertThat(settings).containsExactly(Map.entry("firn.generator", own));
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
