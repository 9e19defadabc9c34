package io.firn.mybatis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.FirnException;
import io.firn.IdGenerator;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.text.IdFormat;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IssuedIdsTest {

  private static final String MANY =
      "<script>insert into orders (id, number) values <foreach collection='";
  private static final String EACH =
      "' item='o' separator=','>(#{o.id}, #{o.number})</foreach></script>";

  static class Keyed {
    @FirnId private long id;

    long id() {
      return id;
    }
  }

  static class Order extends Keyed {
    @FirnId(value = "numbers", format = "base32")
    String number;

    @FirnId UUID trace;
    String what;
  }

  interface Orders {
    @Insert("insert into orders (id, number) values (#{id}, #{number})")
    int add(Order order);

    @Insert("insert into orders (id, number) values (#{order.id}, #{what})")
    int addNamed(@Param("order") Order order, @Param("what") String what);

    @Insert(MANY + "list" + EACH)
    int addList(List<Order> orders);

    @Insert(MANY + "all" + EACH)
    int addNamedSet(@Param("all") Set<Order> orders);

    @Insert(MANY + "array" + EACH)
    int addArray(Order[] orders);

    @Insert("insert into orders (id, number) values (#{id}, #{number})")
    int addScalars(@Param("id") long id, @Param("number") String number);

    @Insert(MANY + "all" + EACH)
    int addNamedMap(@Param("all") Map<String, Order> orders);

    @Select("select id from final table (insert into orders (id) values (#{id}))")
    Long addAndReturn(Order order);

    @Insert("insert into orders (id) values (1)")
    int addNothing();

    @Update("update orders set number = #{number} where id = #{id}")
    int change(Order order);

    @Select("select id from orders order by id")
    List<Long> ids();
  }

  private final Snowflake ids = Snowflake.builder().worker(1).build();
  private final Snowflake numbers = Snowflake.builder().worker(2).build();
  private final JdbcDataSource database = new JdbcDataSource();

  @BeforeEach
  void createTable() throws SQLException {
    database.setUrl("jdbc:h2:mem:mybatis;DB_CLOSE_DELAY=-1");
    execute("create table orders (id bigint primary key, number varchar(20))");
  }

  @AfterEach
  void dropTable() throws SQLException {
    execute("drop table orders");
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private SqlSessionFactory sessions(IssuedIds interceptor) {
    Configuration configuration =
        new Configuration(new Environment("test", new JdbcTransactionFactory(), database));
    configuration.addInterceptor(interceptor);
    configuration.addMapper(Orders.class);
    return new SqlSessionFactoryBuilder().build(configuration);
  }

  private void run(ExecutorType type, Consumer<Orders> work) {
    SqlSessionFactory sessions = sessions(new IssuedIds(Map.of("", ids, "numbers", numbers)));
    try (SqlSession session = sessions.openSession(type)) {
      work.accept(session.getMapper(Orders.class));
      session.commit();
    }
  }

  private void run(Consumer<Orders> work) {
    run(ExecutorType.SIMPLE, work);
  }

  private List<Long> stored() {
    List<Long> stored = new ArrayList<>();
    run(orders -> stored.addAll(orders.ids()));
    return stored;
  }

  private static List<Order> newOrders(int count) {
    return Stream.generate(Order::new).limit(count).toList();
  }

  private static void assertFilled(List<Order> orders, List<Long> stored) {
    assertThat(orders).allMatch(order -> IdLayout.CLASSIC.parse(order.id()).worker() == 1);
    assertThat(orders)
        .allMatch(
            order -> IdLayout.CLASSIC.parse(IdFormat.BASE32.parse(order.number)).worker() == 2);
    assertThat(stored).containsExactlyInAnyOrderElementsOf(orders.stream().map(Keyed::id).toList());
  }

  @Test
  void fillsOneObject() {
    Order order = new Order();
    run(orders -> orders.add(order));
    assertFilled(List.of(order), stored());
    assertThat(order.trace.version()).isEqualTo(7);
    assertThat(order.what).isNull();
  }

  @Test
  void leavesTheValuesOfANamedMapAndWhatAQueryInsertsAlone() throws SQLException {
    Order mapped = new Order();
    run(orders -> orders.addNamedMap(Map.of("first", mapped)));
    assertThat(mapped.id()).isZero();
    execute("delete from orders");
    Order queried = new Order();
    run(orders -> assertThat(orders.addAndReturn(queried)).isZero());
    assertThat(queried.id()).isZero();
  }

  @Test
  void fillsANamedParameterAmongOthers() {
    Order order = new Order();
    run(orders -> orders.addNamed(order, "given"));
    assertFilled(List.of(order), stored());
  }

  @Test
  void fillsTheElementsOfListsSetsAndArrays() {
    List<Order> list = newOrders(3);
    Set<Order> set = Set.copyOf(newOrders(3));
    Order[] array = newOrders(3).toArray(Order[]::new);
    run(
        orders -> {
          orders.addList(list);
          orders.addNamedSet(set);
          orders.addArray(array);
        });
    List<Order> all = new ArrayList<>(list);
    all.addAll(set);
    all.addAll(Arrays.asList(array));
    assertFilled(all, stored());
  }

  @Test
  void fillsABatch() {
    List<Order> batch = newOrders(20);
    run(ExecutorType.BATCH, orders -> batch.forEach(orders::add));
    assertFilled(batch, stored());
    assertThat(batch.stream().map(Keyed::id)).isSorted();
  }

  @Test
  void keepsWhatIsSet() {
    Order order = new Order();
    order.number = "mine";
    run(orders -> orders.add(order));
    long id = order.id();
    assertThat(order.number).isEqualTo("mine");

    run(
        orders -> {
          order.number = null;
          orders.change(order);
        });
    assertThat(order.id()).isEqualTo(id);
    assertThat(order.number).as("an update fills nothing").isNull();
  }

  @Test
  void leavesParametersAloneThatHaveNoSuchField() {
    run(
        orders -> {
          orders.addScalars(7, null);
          orders.addNothing();
        });
    assertThat(stored()).containsExactly(1L, 7L);
  }

  @Test
  void insertsNothingIfNoIdCanBeIssued() {
    IdGenerator failing =
        () -> {
          throw new FirnException("no ID now");
        };
    try (SqlSession session =
        sessions(new IssuedIds(Map.of("", failing, "numbers", numbers))).openSession()) {
      Orders orders = session.getMapper(Orders.class);
      assertThatThrownBy(() -> orders.add(new Order()))
          .hasRootCauseInstanceOf(FirnException.class)
          .rootCause()
          .hasMessage("no ID now");
    }
    assertThat(stored()).isEmpty();
  }

  static class Wrong {
    @FirnId int id;
  }

  record Fixed(@FirnId long id) {}

  static class Shared {
    @FirnId static long id;
  }

  @Test
  void refusesFieldsThatItCannotFill() {
    refuses(
        new Wrong(),
        "attribute io.firn.mybatis.IssuedIdsTest$Wrong.id: type: int (expected: long, Long, String, UUID,"
            + " Ulid or ObjectId, to hold an ID)");
    refuses(
        new Fixed(0),
        "field: private final long io.firn.mybatis.IssuedIdsTest$Fixed.id"
            + " (expected: neither final nor static, to be filled)");
    refuses(
        new Shared(),
        "field: static long io.firn.mybatis.IssuedIdsTest$Shared.id"
            + " (expected: neither final nor static, to be filled)");
  }

  /**
   * The names that there are, in order; the generator of fields without a name has none to show.
   */
  @Test
  void saysWhichGeneratorsThereAre() {
    refuses(new Order(), "generator: \"numbers\" (expected: no name)");
    refuses(
        new IssuedIds(Map.of("orders", ids, "items", ids)),
        new Order(),
        "generator: \"numbers\" (expected: \"items\", \"orders\")");
    refuses(
        new IssuedIds(Map.of("numbers", ids)),
        new Order(),
        "generator: no name (expected: \"numbers\")");
  }

  private void refuses(Object parameter, String message) {
    refuses(new IssuedIds(ids), parameter, message);
  }

  private void refuses(IssuedIds interceptor, Object parameter, String message) {
    try (SqlSession session = sessions(interceptor).openSession()) {
      assertThatExceptionOfType(RuntimeException.class)
          .isThrownBy(() -> session.insert(Orders.class.getName() + ".add", parameter))
          .havingRootCause()
          .isInstanceOf(IllegalArgumentException.class)
          .withMessage(message);
    }
  }
}
