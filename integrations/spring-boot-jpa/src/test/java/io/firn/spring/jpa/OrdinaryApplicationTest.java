package io.firn.spring.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdGenerator;
import io.firn.IdLayout;
import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with this one dependency, Boot's starter for JPA, and a database. */
class OrdinaryApplicationTest {

  @SpringBootApplication
  static class Shop {}

  @Test
  void entitiesGetIdsOfAWorkerThatIsLeasedInTheirDatabase() {
    try (ConfigurableApplicationContext context =
        SpringApplication.run(
            Shop.class,
            "--spring.main.banner-mode=off",
            "--spring.main.web-application-type=none",
            "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
            "--spring.jpa.hibernate.ddl-auto=create-drop")) {
      Order first = new Order();
      Order second = new Order();
      context.getBean(Orders.class).saveAll(List.of(first, second));
      RegisterStore store = context.getBean(RegisterStore.class);
      assertThat(second.id).isGreaterThan(first.id);
      assertThat(store.toString()).startsWith("jdbc:h2:mem:");
      assertThat(Namespace.of(store, "orders").workers())
          .singleElement()
          .satisfies(
              worker ->
                  assertThat(worker.worker()).isEqualTo(IdLayout.CLASSIC.parse(first.id).worker()));
      assertThat(context.getBean(IdGenerator.class).nextId()).isPositive();
    }
  }
}
