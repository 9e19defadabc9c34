package io.firn.hibernate;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.Snowflake;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PostLoad;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Transient;
import jakarta.persistence.Version;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.domain.Persistable;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.support.JpaRepositoryFactory;

/** Tests of the statements of {@code save}: it must not query whether a new row exists. */
class SpringDataTest {

  interface Orders extends JpaRepository<Shop.Order, Long> {}

  interface Customers extends JpaRepository<Shop.Customer, Long> {}

  interface Plains extends JpaRepository<Plain, Long> {}

  interface Versioneds extends JpaRepository<Versioned, Long> {}

  interface Tellings extends JpaRepository<Telling, Long> {}

  /** Of an ID that the caller assigns, and nothing else. */
  @Entity(name = "plains")
  static class Plain {
    @Id Long id;
  }

  /** Of an ID that the caller assigns, with a version. */
  @Entity(name = "versioneds")
  static class Versioned {
    @Id Long id;
    @Version Long version;
  }

  /** Of an ID that the caller assigns, which tells itself whether it is new. */
  @Entity(name = "tellings")
  static class Telling implements Persistable<Long> {
    @Id Long id;
    @Transient boolean stored;

    @Override
    public Long getId() {
      return id;
    }

    @Override
    public boolean isNew() {
      return !stored;
    }

    @PostLoad
    @PostPersist
    void note() {
      stored = true;
    }
  }

  private final Snowflake ids = Snowflake.builder().worker(1).build();
  private Factory factory;

  @BeforeEach
  void open() {
    factory =
        new Factory(
            List.of(
                Shop.Order.class, Shop.Customer.class, Plain.class, Versioned.class, Telling.class),
            Map.of("firn.generator", ids, "firn.generators.orders", ids));
  }

  @AfterEach
  void close() {
    factory.close();
  }

  private <R> void with(Class<R> repository, Consumer<R> work) {
    factory.run(
        session -> work.accept(new JpaRepositoryFactory(session).getRepository(repository)));
  }

  @Test
  void insertsWhatTheGeneratorIsToFillWithoutASelect() {
    with(Customers.class, customers -> customers.save(new Shop.Customer()));
    with(Orders.class, orders -> orders.save(new Shop.Order()));
    assertThat(factory.statements()).containsExactly("insert", "insert");
  }

  @Test
  void insertsManyInOneStatement() {
    with(
        Customers.class,
        customers -> customers.saveAll(Stream.generate(Shop.Customer::new).limit(30).toList()));
    assertThat(factory.preparedStatements()).isEqualTo(1);
  }

  @Test
  void selectsBeforeItInsertsAnIdThatWasAssigned() {
    Shop.Customer customer = new Shop.Customer();
    customer.id = ids.nextId();
    with(Customers.class, customers -> customers.save(customer));
    assertThat(factory.statements()).containsExactly("select", "insert");

    Plain plain = new Plain();
    plain.id = ids.nextId();
    with(Plains.class, plains -> plains.save(plain));
    assertThat(factory.statements()).containsExactly("select", "insert");
  }

  @Test
  void insertsAnAssignedIdWithoutASelectIfTheEntityReportsThatItIsNew() {
    Versioned versioned = new Versioned();
    versioned.id = ids.nextId();
    with(Versioneds.class, versioneds -> versioneds.save(versioned));
    Telling telling = new Telling();
    telling.id = ids.nextId();
    with(Tellings.class, tellings -> tellings.save(telling));
    assertThat(factory.statements()).containsExactly("insert", "insert");
  }
}
