package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.lease.Watermark;
import io.firn.mybatis.IssuedIds;
import io.firn.testkit.SwitchedStore;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OneToMany;
import jakarta.persistence.PostPersist;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.managed.ManagedTransactionFactory;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What mappers insert in a transaction has its ID from the scope of that transaction. */
final class MapperScopesTest {

  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final SwitchedStore store = new SwitchedStore();

  /** An entity of JPA; those in its list are found when it is flushed. */
  @Entity(name = "basket")
  static class Basket {
    @Id
    @io.firn.hibernate.FirnId("orders")
    @Nullable Long id;

    @OneToMany(cascade = CascadeType.ALL)
    @JoinColumn(name = "basket")
    List<Entry> entries = new ArrayList<>();
  }

  /** An entity that says when it is inserted. */
  @Entity(name = "entry")
  static class Entry {
    static final List<String> SCOPES = new ArrayList<>();

    @Id
    @io.firn.hibernate.FirnId("orders")
    @Nullable Long id;

    @PostPersist
    void inserted() {
      SCOPES.add(scopes());
    }
  }

  @Table("outbox")
  record Event(@org.springframework.data.annotation.Id @FirnId("orders") @Nullable Long id) {}

  static class Row {
    @io.firn.mybatis.FirnId("orders")
    long id;
  }

  interface Rows {
    @Insert("INSERT INTO outbox (id) VALUES (#{id})")
    void add(Row row);
  }

  @Configuration(proxyBeanMethods = false)
  static class Jpa {
    @Bean
    DataSource dataSource() {
      return database();
    }

    @Bean
    LocalContainerEntityManagerFactoryBean entities(DataSource source, HibernateSettings settings) {
      Map<String, Object> properties = new HashMap<>(Map.of("hibernate.hbm2ddl.auto", "create"));
      settings.addTo(properties);
      var factory = new LocalContainerEntityManagerFactoryBean();
      factory.setDataSource(source);
      factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
      factory.setJpaPropertyMap(properties);
      factory.setManagedTypes(
          PersistenceManagedTypes.of(Basket.class.getName(), Entry.class.getName()));
      return factory;
    }

    @Bean
    PlatformTransactionManager transactions(EntityManagerFactory entities) {
      return new JpaTransactionManager(entities);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Jdbc extends AbstractJdbcConfiguration {
    @Bean
    DataSource dataSource() {
      return database();
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

  private static DataSource database() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL(
        "jdbc:h2:mem:mappers"
            + DATABASES.incrementAndGet()
            + ";DB_CLOSE_DELAY=-1;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE");
    new JdbcTemplate(source).execute("CREATE TABLE outbox (id BIGINT PRIMARY KEY)");
    return source;
  }

  private static String scopes() {
    return TransactionSynchronizationManager.getResourceMap().values().toString();
  }

  private void run(
      Class<?> configuration, BiConsumer<ApplicationContext, Consumer<Runnable>> test) {
    Applications.withStore(store)
        .withUserConfiguration(configuration)
        .withPropertyValues("firn.namespaces.orders.transaction-scopes=true")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              TransactionTemplate transaction =
                  new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
              test.accept(context, work -> transaction.executeWithoutResult(unused -> work.run()));
            });
  }

  private void assertCovered(@Nullable Long id) {
    assertThat(Watermark.of(store, "orders").current().id()).isLessThan(id);
    assertThat(scopes()).contains(", OPEN]");
  }

  @Test
  void entityOfJpaIsInsertedInTheScopeOfItsTransaction() {
    run(
        Jpa.class,
        (context, transaction) -> {
          EntityManager entities =
              SharedEntityManagerCreator.createSharedEntityManager(
                  context.getBean(EntityManagerFactory.class));
          Basket basket = new Basket();
          transaction.accept(
              () -> {
                entities.persist(basket);
                assertCovered(basket.id);
              });
          assertThat(scopes()).isEqualTo("[]");
        });
  }

  /** Hibernate looks for it when Spring has called the synchronizations already. */
  @Test
  void scopeOfAnEntityThatIsFoundWhileCommittingIsKeptUntilTheCommitIsOver() {
    Entry.SCOPES.clear();
    run(
        Jpa.class,
        (context, transaction) -> {
          EntityManager entities =
              SharedEntityManagerCreator.createSharedEntityManager(
                  context.getBean(EntityManagerFactory.class));
          Basket basket = new Basket();
          transaction.accept(() -> entities.persist(basket));
          transaction.accept(
              () -> {
                entities.find(Basket.class, basket.id).entries.add(new Entry());
                assertThat(scopes()).doesNotContain("scope of");
              });
          assertThat(Entry.SCOPES)
              .singleElement()
              .satisfies(scopes -> assertThat(scopes).contains(", COMMITTING]"));
        });
  }

  @Test
  void aggregateOfSpringDataJdbcIsInsertedInTheScopeOfItsTransaction() {
    run(
        Jdbc.class,
        (context, transaction) ->
            transaction.accept(
                () ->
                    assertCovered(
                        context
                            .getBean(JdbcAggregateTemplate.class)
                            .insert(new Event(null))
                            .id())));
  }

  @Test
  void rowOfMyBatisIsInsertedInTheScopeOfItsTransaction() {
    run(
        Jdbc.class,
        (context, transaction) -> {
          DataSource source = context.getBean(DataSource.class);
          SqlSessionFactory sessions = sessions(source, context.getBean(IssuedIds.class));
          Row row = new Row();
          transaction.accept(
              () -> {
                try (SqlSession session = sessions.openSession()) {
                  session.getMapper(Rows.class).add(row);
                }
                assertCovered(row.id);
              });
          assertThat(new JdbcTemplate(source).queryForList("SELECT id FROM outbox", Long.class))
              .containsExactly(row.id);
        });
  }

  private static SqlSessionFactory sessions(DataSource source, IssuedIds issued) {
    var configuration =
        new org.apache.ibatis.session.Configuration(
            new org.apache.ibatis.mapping.Environment(
                "test",
                new ManagedTransactionFactory(),
                new TransactionAwareDataSourceProxy(source)));
    configuration.addInterceptor(issued);
    configuration.addMapper(Rows.class);
    return new SqlSessionFactoryBuilder().build(configuration);
  }
}
