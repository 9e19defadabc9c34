package io.firn.examples.persistence;

import com.baomidou.mybatisplus.annotation.IdType;
import com.baomidou.mybatisplus.annotation.TableId;
import com.baomidou.mybatisplus.annotation.TableName;
import com.baomidou.mybatisplus.core.MybatisConfiguration;
import com.baomidou.mybatisplus.core.MybatisSqlSessionFactoryBuilder;
import com.baomidou.mybatisplus.core.mapper.BaseMapper;
import com.baomidou.mybatisplus.core.toolkit.GlobalConfigUtils;
import io.firn.Snowflake;
import io.firn.jdbc.JdbcRegisterStore;
import io.firn.mybatis.FirnIdentifiers;
import io.firn.store.RegisterStore;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;

/** Rows of MyBatis-Plus whose keys Firn assigns, with a worker ID leased from their database. */
public final class MyBatisPlusOrders {

  private MyBatisPlusOrders() {}

  /** A row. */
  @TableName("orders")
  public static class Order {
    @TableId(type = IdType.ASSIGN_ID)
    private @Nullable Long id;

    /** Returns its key; null before it is inserted. */
    public @Nullable Long getId() {
      return id;
    }

    /** Sets its key. */
    public void setId(@Nullable Long id) {
      this.id = id;
    }
  }

  interface Orders extends BaseMapper<Order> {
    @Update("create table orders (id bigint primary key)")
    void createTable();
  }

  /** Inserts an order and prints its key. */
  public static void main(String[] args) {
    JdbcDataSource database = new JdbcDataSource();
    database.setUrl(args[0]);
    MybatisConfiguration configuration =
        new MybatisConfiguration(
            new Environment("example", new JdbcTransactionFactory(), database));
    // begin identifiers
    RegisterStore store = JdbcRegisterStore.of(database);
    Snowflake ids = Snowflake.builder().lease(store, "orders").build();
    GlobalConfigUtils.getGlobalConfig(configuration)
        .setIdentifierGenerator(new FirnIdentifiers(ids));
    // end
    configuration.addMapper(Orders.class);
    try (ids;
        SqlSession session =
            new MybatisSqlSessionFactoryBuilder().build(configuration).openSession()) {
      Orders orders = session.getMapper(Orders.class);
      orders.createTable();
      Order order = new Order();
      orders.insert(order);
      session.commit();
      System.out.println("order " + order.getId());
    }
  }
}
