package io.firn.examples.persistence;

import io.firn.Snowflake;
import io.firn.jdbc.JdbcRegisterStore;
import io.firn.mybatis.FirnId;
import io.firn.mybatis.IssuedIds;
import io.firn.store.RegisterStore;
import java.util.List;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.h2.jdbcx.JdbcDataSource;

/** Rows of MyBatis whose IDs Firn issues, with a worker ID leased from their database. */
public final class MyBatisOrders {

  private MyBatisOrders() {}

  // begin fields
  static class Order {
    @FirnId long id;

    @FirnId(format = "base32")
    String number = "";
  }

  // end

  interface Orders {
    @Update("create table orders (id bigint primary key, number varchar(13))")
    void createTable();

    @Insert(
        "<script>insert into orders (id, number) values"
            + " <foreach collection='orders' item='o' separator=','>(#{o.id}, #{o.number})</foreach>"
            + "</script>")
    int add(@Param("orders") List<Order> orders);
  }

  /** Inserts two orders and prints what they were given. */
  public static void main(String[] args) {
    JdbcDataSource database = new JdbcDataSource();
    database.setUrl(args[0]);
    Configuration configuration =
        new Configuration(new Environment("example", new JdbcTransactionFactory(), database));
    configuration.addMapper(Orders.class);
    // begin interceptor
    RegisterStore store = JdbcRegisterStore.of(database);
    Snowflake ids = Snowflake.builder().lease(store, "orders").build();
    configuration.addInterceptor(new IssuedIds(ids));
    // end
    try (ids;
        SqlSession session = new SqlSessionFactoryBuilder().build(configuration).openSession()) {
      Orders orders = session.getMapper(Orders.class);
      orders.createTable();
      List<Order> two = List.of(new Order(), new Order());
      orders.add(two);
      session.commit();
      two.forEach(order -> System.out.println("order " + order.id + " " + order.number));
    }
  }
}
