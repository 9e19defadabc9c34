package io.firn.mybatis;

import static org.assertj.core.api.Assertions.assertThat;

import com.baomidou.mybatisplus.annotation.IdType;
import com.baomidou.mybatisplus.annotation.TableId;
import com.baomidou.mybatisplus.annotation.TableName;
import com.baomidou.mybatisplus.core.MybatisConfiguration;
import com.baomidou.mybatisplus.core.MybatisSqlSessionFactoryBuilder;
import com.baomidou.mybatisplus.core.mapper.BaseMapper;
import com.baomidou.mybatisplus.core.toolkit.GlobalConfigUtils;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.wide.Uuids;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class FirnIdentifiersTest {

  @TableName("orders")
  static class Order {
    @TableId(type = IdType.ASSIGN_ID)
    Long id;

    public Long getId() {
      return id;
    }

    public void setId(Long id) {
      this.id = id;
    }
  }

  @TableName("counts")
  static class Count {
    @TableId(type = IdType.ASSIGN_ID)
    long id;

    public long getId() {
      return id;
    }

    public void setId(long id) {
      this.id = id;
    }
  }

  @TableName("texts")
  static class Text {
    @TableId(type = IdType.ASSIGN_ID)
    String id;

    public String getId() {
      return id;
    }

    public void setId(String id) {
      this.id = id;
    }
  }

  @TableName("traces")
  static class Trace {
    @TableId(type = IdType.ASSIGN_UUID)
    String id;

    public String getId() {
      return id;
    }

    public void setId(String id) {
      this.id = id;
    }
  }

  interface Orders extends BaseMapper<Order> {}

  interface Counts extends BaseMapper<Count> {}

  interface Texts extends BaseMapper<Text> {}

  interface Traces extends BaseMapper<Trace> {}

  private static final Snowflake ORDERS = Snowflake.builder().worker(1).build();
  private static final Snowflake OTHERS = Snowflake.builder().worker(2).build();

  private static SqlSessionFactory sessions;
  private static Connection connection;

  @BeforeAll
  static void open() throws SQLException {
    JdbcDataSource database = new JdbcDataSource();
    database.setUrl("jdbc:h2:mem:mybatisplus");
    connection = database.getConnection();
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table orders (id bigint primary key)");
      statement.execute("create table counts (id bigint primary key)");
      statement.execute("create table texts (id varchar(20) primary key)");
      statement.execute("create table traces (id char(32) primary key)");
    }
    MybatisConfiguration configuration =
        new MybatisConfiguration(new Environment("test", new JdbcTransactionFactory(), database));
    GlobalConfigUtils.getGlobalConfig(configuration)
        .setIdentifierGenerator(
            new FirnIdentifiers(entity -> entity == Order.class ? ORDERS : OTHERS));
    List.of(Orders.class, Counts.class, Texts.class, Traces.class)
        .forEach(configuration::addMapper);
    sessions = new MybatisSqlSessionFactoryBuilder().build(configuration);
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  private static <M> void with(Class<M> mapper, Consumer<M> work) {
    try (SqlSession session = sessions.openSession(ExecutorType.SIMPLE, true)) {
      work.accept(session.getMapper(mapper));
    }
  }

  private static long worker(long id) {
    return IdLayout.CLASSIC.parse(id).worker();
  }

  @Test
  void assignsNumbersAndTheirTextsFromTheGeneratorOfTheEntity() {
    Order order = new Order();
    with(Orders.class, orders -> orders.insert(order));
    assertThat(worker(order.id)).isEqualTo(1);

    Text text = new Text();
    with(Texts.class, texts -> texts.insert(text));
    assertThat(worker(Long.parseLong(text.id))).isEqualTo(2);
  }

  @Test
  void assignsAPrimitiveThatIsZero() {
    Count count = new Count();
    with(Counts.class, counts -> counts.insert(count));
    assertThat(worker(count.id)).isEqualTo(2);
  }

  @Test
  void assignsUuidsOfVersion7WithoutDashes() {
    Trace trace = new Trace();
    with(Traces.class, traces -> traces.insert(trace));
    assertThat(trace.id).matches("[0-9a-f]{32}");
    UUID uuid =
        Uuids.parse(trace.id.replaceAll("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5"));
    assertThat(uuid.version()).isEqualTo(7);
  }

  @Test
  void assignsTheIdsOfAList() {
    List<Order> many = Stream.generate(Order::new).limit(30).toList();
    with(Orders.class, orders -> orders.insert(many));
    assertThat(many).extracting(order -> order.id).doesNotContainNull().doesNotHaveDuplicates();
  }

  @Test
  void keepsKeysThatAreSet() {
    Order order = new Order();
    order.id = 7L;
    with(Orders.class, orders -> orders.insert(order));
    assertThat(order.id).isEqualTo(7);

    FirnIdentifiers identifiers = new FirnIdentifiers(OTHERS);
    assertThat(Stream.of(1L, -1L, "0", 1)).noneMatch(identifiers::assignId);
    assertThat(Stream.of(0L, "")).allMatch(identifiers::assignId);
    assertThat(identifiers.assignId(null)).isTrue();
  }
}
