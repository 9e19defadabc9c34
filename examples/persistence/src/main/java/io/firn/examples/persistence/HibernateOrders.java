package io.firn.examples.persistence;

import io.firn.Snowflake;
import io.firn.hibernate.FirnId;
import io.firn.jdbc.JdbcRegisterStore;
import io.firn.store.RegisterStore;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.jspecify.annotations.Nullable;

/** Entities whose IDs Firn issues, with a worker ID leased from the database that they are in. */
public final class HibernateOrders {

  private HibernateOrders() {}

  // begin entity
  @Entity(name = "orders")
  static class Order {
    @Id
    @FirnId("orders")
    @Nullable Long id;

    @FirnId(format = "base32")
    @Nullable String number;

    @FirnId @Nullable UUID trace;
  }

  // end

  /** Inserts a few orders and prints what they were given. */
  public static void main(String[] args) {
    String url = args[0];
    try (SessionFactory sessions = configuration(url).buildSessionFactory()) {
      Order order = new Order();
      sessions.inTransaction(session -> session.persist(order));
      System.out.println("order " + order.id + " " + order.number + " " + order.trace);
    }
    JdbcDataSource database = new JdbcDataSource();
    database.setUrl(url);
    withAGenerator(url, database);
  }

  private static Configuration configuration(String url) {
    return new Configuration()
        .addAnnotatedClass(Order.class)
        .setProperty("hibernate.connection.url", url)
        .setProperty("hibernate.hbm2ddl.auto", "update")
        .setProperty("hibernate.jdbc.batch_size", "50")
        .setProperty("firn.store", url)
        .setProperty("firn.namespace", "shop");
  }

  private static void withAGenerator(String url, DataSource database) {
    Configuration configuration = configuration(url);
    // begin generator
    RegisterStore store = JdbcRegisterStore.of(database);
    Snowflake orders = Snowflake.builder().lease(store, "orders").build();
    configuration.getProperties().put("firn.generators.orders", orders);
    try (orders;
        SessionFactory sessions = configuration.buildSessionFactory()) {
      sessions.inTransaction(session -> session.persist(new Order()));
      System.out.println(orders.stats().issued() + " issued");
    }
    // end
  }
}
