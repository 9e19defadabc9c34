package io.firn.hibernate;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdGenerator;
import io.firn.Snowflake;
import io.firn.text.IdFormat;
import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hibernate.Session;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FirnIdTest {

  private static final IdGenerator ORDERS = Snowflake.builder().worker(1).build();
  private static final IdGenerator OTHERS = Snowflake.builder().worker(2).build();

  private static final Factory FACTORY =
      new Factory(
          Shop.ENTITIES,
          Map.of(
              "firn.generator",
              OTHERS,
              "firn.generators.orders",
              ORDERS,
              "hibernate.cache.region.factory_class",
              new SerializedRegions()));

  @AfterAll
  static void close() {
    FACTORY.close();
  }

  @BeforeEach
  void forget() {
    FACTORY.statements();
    FACTORY.sessions.getStatistics().clear();
  }

  private static long worker(long id) {
    return ((Snowflake) ORDERS).layout().parse(id).worker();
  }

  private static <T> T inserted(T entity) {
    FACTORY.run(session -> session.persist(entity));
    return entity;
  }

  @Test
  void fillsNumbersFromTheGeneratorOfTheirName() {
    Shop.Order order = inserted(new Shop.Order());
    assertThat(worker(order.id)).isEqualTo(1);
    assertThat(worker(order.number)).isEqualTo(2);
    assertThat(worker(inserted(new Shop.Customer()).id)).isEqualTo(2);
  }

  @Test
  void fillsTheTextsOfGetters() {
    Shop.Parcel parcel = inserted(new Shop.Parcel());
    assertThat(worker(IdFormat.BASE32.parse(parcel.getCode()))).isEqualTo(2);
  }

  @Test
  void fillsAPartOfACompositeId() {
    Shop.Line line = new Shop.Line();
    line.id.orderId = 5;
    inserted(line);
    assertThat(line.id.orderId).isEqualTo(5);
    assertThat(worker(line.id.lineId)).isEqualTo(1);
  }

  /** Hibernate runs no generators for what it keeps in the table of a collection. */
  @Test
  void fillsEmbeddedObjectsButNotThoseOfACollection() {
    Shop.Letter letter = inserted(new Shop.Letter());
    assertThat(worker(letter.stamp.number)).isEqualTo(2);
    assertThat(letter.others).hasSize(2).extracting(other -> other.number).containsOnlyNulls();
  }

  @Test
  void fillsWideTypesAndReadsThemBack() {
    assertThat(inserted(new Shop.Token()).id.version()).isEqualTo(7);
    assertThat(Ulid.parse(inserted(new Shop.Label()).id)).isNotNull();

    Ulid ulid = inserted(new Shop.Session()).id;
    assertThat(FACTORY.call(session -> session.find(Shop.Session.class, ulid)).id).isEqualTo(ulid);

    ObjectId id = inserted(new Shop.Document()).id;
    Shop.Document read = FACTORY.call(session -> session.find(Shop.Document.class, id));
    assertThat(read.id).isEqualTo(id);
    assertThat(read.revision).isNotNull();
    assertThat(documents("where revision = :revision", "revision", read.revision)).hasSize(1);
    assertThat(documents("where id < :id", "id", id)).doesNotContain(read);
  }

  private static List<Shop.Document> documents(String where, String name, Object value) {
    return FACTORY.call(
        session ->
            session
                .createQuery("from documents " + where, Shop.Document.class)
                .setParameter(name, value)
                .list());
  }

  @Test
  void keepsWideTypesInColumnsOfTheirLength() {
    List<Object> lengths =
        FACTORY.call(
            session ->
                session
                    .createNativeQuery(
                        "select character_maximum_length from information_schema.columns"
                            + " where table_name = 'DOCUMENTS' order by column_name",
                        Object.class)
                    .list());
    assertThat(lengths.stream().map(Object::toString)).containsExactly("24", "26");
  }

  @Test
  void findsWideTypesInTheSecondLevelCache() {
    Shop.Visit visit = inserted(new Shop.Visit());
    FACTORY.call(session -> session.find(Shop.Visit.class, visit.id));
    FACTORY.statements();
    Shop.Visit cached = FACTORY.call(session -> session.find(Shop.Visit.class, visit.id));
    assertThat(FACTORY.statements()).isEmpty();
    assertThat(cached.id).isEqualTo(visit.id);
    assertThat(cached.page).isEqualTo(visit.page);
  }

  @Test
  void keepsTheBatchesOfInserts() {
    FACTORY.run(session -> persist(session, Shop.Order::new));
    assertThat(FACTORY.preparedStatements()).isEqualTo(1);
    assertThat(FACTORY.statements()).containsExactly("insert");
  }

  /** Shows the cost without Firn: a number that the database draws takes a statement per row. */
  @Test
  void savesTheBatchesThatIdentityColumnsBreak() {
    FACTORY.run(session -> persist(session, Shop.Counted::new));
    assertThat(FACTORY.preparedStatements()).isEqualTo(40);
  }

  private static void persist(Session session, Supplier<Object> entity) {
    Stream.generate(entity).limit(40).forEach(session::persist);
  }

  @Test
  void servesStatelessSessionsAndTheirBatches() {
    List<Shop.Order> orders = IntStream.range(0, 20).mapToObj(i -> new Shop.Order()).toList();
    try (StatelessSession session = FACTORY.sessions.openStatelessSession()) {
      session.setJdbcBatchSize(20);
      session.beginTransaction();
      orders.forEach(session::insert);
      session.getTransaction().commit();
    }
    assertThat(FACTORY.preparedStatements()).isEqualTo(1);
    assertThat(orders).extracting(order -> order.id).doesNotHaveDuplicates().doesNotContain(0L);
  }

  @Test
  void keepsIdsThatWereAssigned() {
    Shop.Order order = new Shop.Order();
    order.id = 77;
    order.number = 78L;
    inserted(order);
    assertThat(order.id).isEqualTo(77);
    assertThat(FACTORY.call(session -> session.find(Shop.Order.class, 77L)).number).isEqualTo(78);

    Shop.Customer customer = new Shop.Customer();
    customer.id = 79L;
    assertThat(inserted(customer).id).isEqualTo(79);

    Shop.Parcel parcel = new Shop.Parcel();
    parcel.setCode("mine");
    assertThat(inserted(parcel).getCode()).isEqualTo("mine");

    Shop.Order stateless = new Shop.Order();
    stateless.id = 80;
    try (StatelessSession session = FACTORY.sessions.openStatelessSession()) {
      session.insert(stateless);
    }
    assertThat(stateless.id).isEqualTo(80);
  }

  @Test
  void asksTheDatabaseNothingBeforeItInsertsWhatIsNew() {
    inserted(new Shop.Order());
    assertThat(FACTORY.call(session -> session.merge(new Shop.Customer())).id).isNotNull();
    assertThat(FACTORY.statements()).containsExactly("insert", "insert");
  }

  @Test
  void changesNothingOfWhatIsUpdated() {
    Shop.Order order = inserted(new Shop.Order());
    long number = order.number;
    order.what = "changed";
    assertThat(FACTORY.call(session -> session.merge(order)).number).isEqualTo(number);
    assertThat(FACTORY.statements()).containsExactly("insert", "select", "update");
  }

  @Test
  void writesAnAttributeThatTheApplicationChanges() {
    Shop.Order order = inserted(new Shop.Order());
    FACTORY.run(session -> session.find(Shop.Order.class, order.id).number = 78L);
    assertThat(FACTORY.call(session -> session.find(Shop.Order.class, order.id)).number)
        .isEqualTo(78);

    Shop.Document document = inserted(new Shop.Document());
    Ulid revision = Ulid.generator().nextId();
    FACTORY.run(session -> session.find(Shop.Document.class, document.id).revision = revision);
    assertThat(FACTORY.call(session -> session.find(Shop.Document.class, document.id)).revision)
        .isEqualTo(revision);
  }

  @Test
  void issuesNoIdTwice() {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      FACTORY.run(
          session ->
              Stream.generate(Shop.Order::new)
                  .limit(100)
                  .peek(session::persist)
                  .forEach(order -> ids.add(order.id)));
    }
    assertThat(ids).hasSize(300).doesNotHaveDuplicates().isSorted();
  }
}
