package io.firn.mybatis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** An application with MyBatis and without MyBatis-Plus: classes load from a class path of both. */
final class MyBatisAloneTest {

  static final class Order {
    @FirnId long id;
  }

  interface Orders {
    @Update("create table orders (id bigint primary key)")
    void createTable();

    @Insert("insert into orders (id) values (#{id})")
    int add(Order order);
  }

  /** Inserts one row, and returns its ID. */
  static final class Application implements Callable<Long> {

    @Override
    public Long call() {
      JdbcDataSource database = new JdbcDataSource();
      database.setUrl("jdbc:h2:mem:alone;DB_CLOSE_DELAY=-1");
      Configuration configuration =
          new Configuration(new Environment("alone", new JdbcTransactionFactory(), database));
      configuration.addInterceptor(new IssuedIds(Snowflake.builder().worker(3).build()));
      configuration.addMapper(Orders.class);
      try (SqlSession session = new SqlSessionFactoryBuilder().build(configuration).openSession()) {
        Orders orders = session.getMapper(Orders.class);
        orders.createTable();
        Order order = new Order();
        orders.add(order);
        return order.id;
      }
    }
  }

  @Test
  void myBatisNeedsNoMyBatisPlus() throws Exception {
    try (URLClassLoader loader = withoutMyBatisPlus()) {
      assertThatThrownBy(() -> load(loader, FirnIdentifiers.class))
          .isInstanceOf(NoClassDefFoundError.class)
          .hasMessageContaining("com/baomidou/mybatisplus/");
      Callable<?> application = (Callable<?>) load(loader, Application.class);
      assertThat(IdLayout.CLASSIC.parse((Long) application.call()).worker()).isEqualTo(3);
    }
  }

  private static URLClassLoader withoutMyBatisPlus() throws MalformedURLException {
    List<URL> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!Path.of(entry).getFileName().toString().startsWith("mybatis-plus-")) {
        entries.add(Path.of(entry).toUri().toURL());
      }
    }
    return new URLClassLoader(entries.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  private static Object load(ClassLoader loader, Class<?> type)
      throws ReflectiveOperationException {
    var constructor = Class.forName(type.getName(), true, loader).getDeclaredConstructor();
    constructor.setAccessible(true);
    return constructor.newInstance();
  }
}
