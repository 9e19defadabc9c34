package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.testkit.SwitchedStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

final class AggregateIdsTest {

  private static final AtomicInteger DATABASES = new AtomicInteger();

  private static final String SCHEMA =
      """
      CREATE TABLE purchase (id BIGINT PRIMARY KEY, customer VARCHAR(40), public_id VARCHAR(20));
      CREATE TABLE line (id BIGINT PRIMARY KEY, purchase BIGINT REFERENCES purchase,
          purchase_key INT, product VARCHAR(40));
      CREATE TABLE tag (id BIGINT PRIMARY KEY, line BIGINT REFERENCES line, text VARCHAR(40));
      CREATE TABLE note (id BIGINT PRIMARY KEY, purchase BIGINT REFERENCES purchase,
          purchase_key VARCHAR(40), text VARCHAR(40));
      CREATE TABLE receipt (id BIGINT PRIMARY KEY, purchase BIGINT REFERENCES purchase);
      CREATE TABLE customer (id BIGINT PRIMARY KEY, name VARCHAR(40));
      CREATE TABLE wrong (id INT PRIMARY KEY);
      CREATE TABLE event (id UUID PRIMARY KEY, number VARCHAR(20));
      """;

  @Table("purchase")
  record Purchase(
      @Id @FirnId("orders") Long id,
      String customer,
      @FirnId String publicId,
      List<Line> line,
      Map<String, Note> note,
      Receipt receipt) {}

  @Table("line")
  record Line(@Id @FirnId("lines") long id, String product, Set<Tag> tag) {}

  @Table("tag")
  record Tag(@Id @FirnId Long id, String text) {}

  @Table("note")
  record Note(@Id @FirnId Long id, String text) {}

  @Table("receipt")
  record Receipt(@Id @FirnId Long id) {}

  @Table("customer")
  static class Customer {
    @Id @FirnId Long id;
    String name = "Ada";
  }

  @Table("wrong")
  record Wrong(@Id @FirnId Integer id) {}

  @Table("wrong")
  record PrimitiveWrong(@Id @FirnId int id) {}

  @Table("event")
  record Event(@Id @FirnId UUID id, @FirnId(format = "base32") String number) {}

  @Test
  void rootsAndAllThatTheyHoldGetIds() {
    run(
        template -> {
          Purchase saved =
              template.insert(
                  new Purchase(
                      null,
                      "Ada",
                      null,
                      List.of(
                          new Line(0, "pen", Set.of(new Tag(null, "blue"))),
                          new Line(0, "ink", Set.of())),
                      Map.of("door", new Note(null, "ring twice")),
                      new Receipt(null)));
          Purchase read = template.findById(saved.id(), Purchase.class);
          assertThat(read).isEqualTo(saved);
          assertThat(read.line()).extracting(Line::id).doesNotHaveDuplicates().doesNotContain(0L);
          assertThat(IdLayout.TWITTER.parse(read.id()).worker()).isZero();
          assertThat(read.line().get(0).id()).isIn(1L, 2L);
          assertThat(read.line().get(0).tag()).extracting(Tag::id).doesNotContainNull();
          assertThat(read.note().get("door").id()).isPositive();
          assertThat(read.receipt().id()).isPositive();
          assertThat(read.publicId()).matches("\\d{9,19}");
        });
  }

  @Test
  void nullsInCollectionsAreLeftForSpringDataToRefuse() {
    run(
        template -> {
          List<Line> lines = Arrays.asList(new Line(0, "pen", Set.of()), null);
          Map<String, Note> notes = new HashMap<>();
          notes.put("door", null);
          assertThatThrownBy(
                  () -> template.insert(new Purchase(null, "Ada", null, lines, Map.of(), null)))
              .isInstanceOf(IllegalArgumentException.class)
              .hasStackTraceContaining("org.springframework.util.Assert");
          assertThatThrownBy(
                  () -> template.insert(new Purchase(null, "Ada", null, List.of(), notes, null)))
              .isInstanceOf(IllegalArgumentException.class)
              .hasStackTraceContaining("org.springframework.util.Assert");
        });
  }

  @Test
  void saveInsertsWhatHasNoIdAndUpdatesWhatHasOne() {
    run(
        template -> {
          Customer customer = new Customer();
          assertThat(template.save(customer)).isSameAs(customer);
          long id = customer.id;
          customer.name = "Grace";
          template.save(customer);
          assertThat(customer.id).isEqualTo(id);
          assertThat(template.count(Customer.class)).isEqualTo(1);
          assertThat(template.findById(id, Customer.class).name).isEqualTo("Grace");
        });
  }

  @Test
  void whatIsAddedToAnAggregateGetsAnIdAndTheRestKeepsItsOwn() {
    run(
        template -> {
          Purchase first =
              template.save(
                  new Purchase(
                      null, "Ada", null, List.of(new Line(0, "pen", Set.of())), Map.of(), null));
          Line kept = first.line().get(0);
          Purchase second =
              template.save(
                  new Purchase(
                      first.id(),
                      "Ada",
                      first.publicId(),
                      List.of(kept, new Line(0, "ink", Set.of())),
                      Map.of(),
                      null));
          assertThat(second.line()).hasSize(2).contains(kept);
          assertThat(template.findById(first.id(), Purchase.class)).isEqualTo(second);
        });
  }

  @Test
  void manyAtOnceGetIds() {
    run(
        template -> {
          List<Customer> saved =
              new ArrayList<>(
                  (Collection<Customer>)
                      template.saveAll(Stream.generate(Customer::new).limit(50).toList()));
          Set<Long> ids = new LinkedHashSet<>();
          saved.forEach(customer -> ids.add(customer.id));
          assertThat(ids).hasSize(50).doesNotContainNull();
        });
  }

  @Test
  void otherKindsOfIdsAndFormsOfTextAreFilledToo() {
    run(
        template -> {
          Event event = template.insert(new Event(null, ""));
          assertThat(event.id().version()).isEqualTo(7);
          assertThat(event.number()).hasSize(13);
          assertThat(template.findById(event.id(), Event.class)).isEqualTo(event);
        });
  }

  @Test
  void refusesATypeThatCannotHoldAnId() {
    run(
        template -> {
          assertRefused(
              "Wrong.id: type: java.lang.Integer", () -> template.insert(new Wrong(null)));
          assertRefused(
              "PrimitiveWrong.id: type: int", () -> template.insert(new PrimitiveWrong(0)));
        });
  }

  private static void assertRefused(String attribute, ThrowingCallable insert) {
    assertThatThrownBy(insert)
        .hasStackTraceContaining(
            "attribute "
                + AggregateIdsTest.class.getName()
                + "$"
                + attribute
                + " (expected: long, Long, String, UUID, Ulid or ObjectId, to hold an ID)");
  }

  private static void run(Consumer<JdbcAggregateTemplate> test) {
    Applications.withStore(new SwitchedStore())
        .withUserConfiguration(Database.class)
        .withPropertyValues(
            "firn.namespaces.default.layout=js_safe",
            "firn.namespaces.orders.layout=twitter",
            "firn.namespaces.orders.datacenter=0",
            "firn.worker=0",
            "firn.namespaces.lines.type=segment",
            "firn.namespaces.lines.max-wait=20s")
        .run(context -> test.accept(context.getBean(JdbcAggregateTemplate.class)));
  }

  @Configuration(proxyBeanMethods = false)
  static class Database extends AbstractJdbcConfiguration {
    @Bean
    DataSource dataSource() {
      JdbcDataSource source = new JdbcDataSource();
      source.setURL(
          "jdbc:h2:mem:aggregates"
              + DATABASES.incrementAndGet()
              + ";DB_CLOSE_DELAY=-1;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE");
      new JdbcTemplate(source).execute(SCHEMA);
      return source;
    }

    @Bean
    NamedParameterJdbcTemplate operations(DataSource source) {
      return new NamedParameterJdbcTemplate(source);
    }

    @Bean
    PlatformTransactionManager transactions(DataSource source) {
      return new DataSourceTransactionManager(source);
    }
  }
}
