package io.firn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Entities of an application of Boot 4 that has the starter for JPA. */
class BootApplicationTest {

  @SpringBootApplication
  static class Application {}

  @Test
  void entitiesAreFilledByTheGeneratorsOfTheStarter() {
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .properties(
                "spring.main.banner-mode=off",
                "spring.datasource.url=jdbc:h2:mem:boot",
                "spring.jpa.hibernate.ddl-auto=create",
                "firn.store=memory:",
                "firn.worker=7",
                "firn.namespaces.default.layout=js_safe",
                "firn.namespaces.numbers.type=segment")
            .run()) {
      Tickets tickets = context.getBean(Tickets.class);
      Ticket first = tickets.save(new Ticket());
      Ticket second = tickets.save(new Ticket());
      assertThat(IdLayout.JS_SAFE.parse(first.id).worker()).isEqualTo(7);
      assertThat(second.id).isGreaterThan(first.id);
      assertThat(first.number).isEqualTo(1);
      assertThat(second.number).isEqualTo(2);
    }
  }

  @Test
  void nothingNeedsToBeSetButTheDatabase() {
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .properties(
                "spring.main.banner-mode=off",
                "spring.datasource.url=jdbc:h2:mem:unset",
                "spring.jpa.hibernate.ddl-auto=create")
            .run()) {
      Ticket saved = context.getBean(Tickets.class).save(new Ticket());
      RegisterStore store = context.getBean(RegisterStore.class);
      assertThat(store.toString()).startsWith("jdbc:h2:mem:unset");
      assertThat(Namespace.of(store, "default").workers())
          .singleElement()
          .satisfies(
              worker ->
                  assertThat(worker.worker()).isEqualTo(IdLayout.CLASSIC.parse(saved.id).worker()));
    }
  }
}
