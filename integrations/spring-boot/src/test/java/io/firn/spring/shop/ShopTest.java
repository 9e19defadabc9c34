package io.firn.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.spring.shop.ShopApplication.Order;
import io.firn.store.RegisterStore;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Spring Data JPA on Boot, with nothing set but the database. */
@ExtendWith(OutputCaptureExtension.class)
final class ShopTest {

  /**
   * Other tests of this module need Redis on the class path; an application with a shop does not.
   */
  static final String REDIS =
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration,"
          + "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration";

  private static final String DATABASE = "jdbc:h2:mem:" + UUID.randomUUID();

  private static ConfigurableApplicationContext start() {
    SpringApplication application = new SpringApplication(ShopApplication.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    return application.run(
        "--spring.main.banner-mode=off",
        "--spring.datasource.url=" + DATABASE,
        "--spring.jpa.hibernate.ddl-auto=create-drop",
        "--spring.autoconfigure.exclude=" + REDIS);
  }

  @Test
  void entityIsSavedWithoutAnySettingOfItsNamespace(CapturedOutput output) {
    Set<Long> ids = new HashSet<>();
    try (ConfigurableApplicationContext context = start()) {
      List<Order> saved =
          context
              .getBean(Orders.class)
              .saveAll(IntStream.range(0, 200).mapToObj(i -> new Order()).toList());
      saved.forEach(order -> ids.add(order.id));
      assertThat(ids).hasSize(200).allMatch(id -> id != null && IdLayout.CLASSIC.fits(id));
      assertThat(Namespace.of(context.getBean(RegisterStore.class), "orders").workers())
          .filteredOn(WorkerEntry::held)
          .hasSize(1);
    }
    assertThat(output.getAll())
        .containsPattern(
            " INFO .* Namespace orders issues classic as worker \\d+, leased in jdbc:h2:mem:");
  }
}
