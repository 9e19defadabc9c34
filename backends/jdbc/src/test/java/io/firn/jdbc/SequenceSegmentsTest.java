package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.segment.Segment;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentRefusedException;
import io.firn.segment.SegmentSource;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.SequenceGenerator;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Segments of sequences, beside Hibernate's optimizers. */
@Timeout(300)
class SequenceSegmentsTest {

  private static final String SEQUENCE = "hibernate_orders_seq";
  private static final int INCREMENT = 50;
  private static final int EACH = 2_000;

  private final String key = TestDatabase.newTable();

  /** As applications map theirs. */
  @Entity(name = "hibernate_orders")
  static class Order {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "orders")
    @SequenceGenerator(name = "orders", sequenceName = SEQUENCE, allocationSize = INCREMENT)
    Long id;
  }

  private static SessionFactory hibernate(TestDatabase database, String optimizer) {
    return new Configuration()
        .addAnnotatedClass(Order.class)
        .setProperty("hibernate.connection.url", database.url())
        .setProperty("hibernate.id.optimizer.pooled.preferred", optimizer)
        .setProperty("hibernate.hbm2ddl.auto", "create")
        .buildSessionFactory();
  }

  private static SequenceSegments firn(TestDatabase database, String optimizer) {
    return optimizer.equals("pooled")
        ? SequenceSegments.pooled(database.source())
        : SequenceSegments.pooledLo(database.source());
  }

  /** Has Hibernate insert rows while two generators draw; returns how many IDs came twice. */
  private static int duplicates(TestDatabase database, String optimizer, SequenceSegments source)
      throws Exception {
    database.execute("DROP SEQUENCE IF EXISTS " + SEQUENCE);
    Queue<Long> ids = new ConcurrentLinkedQueue<>();
    try (SessionFactory factory = hibernate(database, optimizer)) {
      List<Thread> threads =
          List.of(
              new Thread(() -> insert(factory, ids, EACH)),
              new Thread(() -> insert(factory, ids, EACH)),
              new Thread(() -> draw(source, ids)),
              new Thread(() -> draw(source, ids)));
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertThat(ids).hasSize(4 * EACH);
    Set<Long> distinct = new HashSet<>(ids);
    return ids.size() - distinct.size();
  }

  private static void insert(SessionFactory factory, Queue<Long> ids, int count) {
    for (int i = 0; i < count; i += 100) {
      try (Session session = factory.openSession()) {
        session.beginTransaction();
        for (int j = 0; j < 100; j++) {
          Order order = new Order();
          session.persist(order);
          ids.add(order.id);
        }
        session.getTransaction().commit();
      }
    }
  }

  private static void draw(SequenceSegments source, Queue<Long> ids) {
    try (SegmentGenerator generator =
        SegmentGenerator.builder(source, SEQUENCE).step(200).build()) {
      for (int i = 0; i < EACH; i++) {
        ids.add(generator.nextId());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"POSTGRES,pooled-lo", "POSTGRES,pooled", "MARIADB,pooled-lo", "MARIADB,pooled"})
  void hibernateAndFirnDrawFromOneSequenceWithoutADuplicate(TestDatabase database, String optimizer)
      throws Exception {
    assertThat(duplicates(database, optimizer, firn(database, optimizer))).isZero();
  }

  @Test
  void usersOfOneSequenceThatDoNotAgreeOnTheOptimizerCollide() throws Exception {
    TestDatabase database = TestDatabase.POSTGRES;
    database.execute("DROP SEQUENCE IF EXISTS " + SEQUENCE);
    Set<Long> ids = new HashSet<>();
    try (SessionFactory factory = hibernate(database, "pooled");
        SegmentGenerator generator =
            SegmentGenerator.builder(firn(database, "pooled-lo"), SEQUENCE).step(200).build()) {
      for (int i = 0; i < 10; i++) {
        Queue<Long> batch = new ConcurrentLinkedQueue<>();
        insert(factory, batch, 100);
        ids.addAll(batch);
        for (int j = 0; j < 100; j++) {
          ids.add(generator.nextId());
        }
      }
    }
    assertThat(ids).hasSizeLessThan(2_000);
  }

  @ParameterizedTest
  @EnumSource
  void aSegmentIsWhatAValueStandsFor(TestDatabase database) throws Exception {
    database.execute("CREATE SEQUENCE " + key + " START WITH 1 INCREMENT BY 50");
    SequenceSegments lo = firn(database, "pooled-lo");
    assertThat(lo.next(key, 1)).isEqualTo(Segment.of(1, 50));
    assertThat(lo.next(key, 1)).isEqualTo(Segment.of(51, 50));
    SequenceSegments pooled = firn(database, "pooled");
    assertThat(pooled.next(key, 1)).isEqualTo(Segment.of(52, 50));
    database.execute("CREATE SEQUENCE " + key + "_first START WITH 1 INCREMENT BY 50");
    assertThat(pooled.next(key + "_first", 1)).isEqualTo(Segment.of(1, 1));
    assertThat(pooled.next(key + "_first", 1)).isEqualTo(Segment.of(2, 50));
  }

  @Test
  void postgresIsAskedForSeveralValuesAtOnce() throws Exception {
    TestDatabase.POSTGRES.execute("CREATE SEQUENCE " + key + " START WITH 1 INCREMENT BY 50");
    SequenceSegments source = firn(TestDatabase.POSTGRES, "pooled-lo");
    assertThat(source.next(key, 1_000)).isEqualTo(Segment.of(1, 50)); // finds the increment
    assertThat(source.next(key, 1_000)).isEqualTo(Segment.of(51, 1_000));
    assertThat(source.next(key, 1_000_000)).isEqualTo(Segment.of(1_051, 5_000));
    TestDatabase.POSTGRES.execute("ALTER SEQUENCE " + key + " INCREMENT BY 20");
    assertThat(source.next(key, 100).count()).isEqualTo(40); // two values, of 20 numbers now
  }

  @ParameterizedTest
  @EnumSource
  void takesTheLastValuesOfASequenceToo(TestDatabase database) throws Exception {
    database.execute("CREATE SEQUENCE " + key + " START WITH 1 INCREMENT BY 50 MAXVALUE 301");
    SequenceSegments source = firn(database, "pooled-lo");
    long numbers = 0;
    for (long next = 1; next <= 301; next = numbers + 1) {
      Segment segment = source.next(key, 200); // four values at once, where that many are left
      assertThat(segment.first()).isEqualTo(next);
      numbers += segment.count();
    }
    assertThat(numbers).isEqualTo(350);
    assertThatThrownBy(() -> source.next(key, 200))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessageContaining("(expected: one with values left)");
  }

  @ParameterizedTest
  @EnumSource
  void refusesASequenceThatItCannotUse(TestDatabase database) throws Exception {
    SequenceSegments source = firn(database, "pooled-lo");
    assertThatThrownBy(() -> source.next(key, 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessageContaining(key);
    database.execute("CREATE SEQUENCE " + key + " START WITH 1 INCREMENT BY 5 MAXVALUE 6 CYCLE");
    assertThatThrownBy(() -> source.next(key, 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessageContaining("counts upwards from 0 or more, without CYCLE; increment 5, start 1");
    database.execute("CREATE SEQUENCE " + key + "_end START WITH 1 INCREMENT BY 5 MAXVALUE 6");
    assertThat(source.next(key + "_end", 1)).isEqualTo(Segment.of(1, 5));
    assertThat(source.next(key + "_end", 1)).isEqualTo(Segment.of(6, 5));
    assertThatThrownBy(() -> source.next(key + "_end", 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessageContaining("sequence: " + key + "_end in ")
        .hasMessageContaining("(expected: one with values left)");
  }

  @Test
  void refusesADatabaseWithoutSequencesAndAnOddName() {
    try (SegmentSource source = SegmentSource.open("pooled-lo:jdbc:sqlite::memory:")) {
      assertThatThrownBy(() -> source.next("orders_seq", 1))
          .isInstanceOf(SegmentRefusedException.class)
          .hasMessageStartingWith("database: SQLITE in ");
      assertThatIllegalArgumentException().isThrownBy(() -> source.next("a b", 1));
    }
  }

  @ParameterizedTest
  @EnumSource
  void opensASequenceByItsAddress(TestDatabase database) throws Exception {
    database.execute("CREATE SEQUENCE " + key + " START WITH 1 INCREMENT BY 50");
    try (SegmentSource lo = SegmentSource.open("pooled-lo:" + database.url());
        SegmentSource pooled = SegmentSource.open("pooled:" + database.url())) {
      assertThat(lo.next(key, 1)).isEqualTo(Segment.of(1, 50));
      assertThat(pooled.next(key, 1)).isEqualTo(Segment.of(2, 50));
    }
  }
}
