package io.firn.hibernate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.resource.jdbc.spi.StatementInspector;

/** A session factory over a database in memory, which tells what it was asked for. */
final class Factory implements AutoCloseable {

  /** Held, for its level goes with it. */
  private static final Logger LOG = Logger.getLogger("org.hibernate");

  private static final AtomicLong DATABASES = new AtomicLong();

  final SessionFactory sessions;
  private final List<String> statements = Collections.synchronizedList(new ArrayList<>());

  Factory(List<Class<?>> entities, Map<String, Object> settings) {
    LOG.setLevel(Level.SEVERE);
    Configuration configuration = new Configuration();
    entities.forEach(configuration::addAnnotatedClass);
    configuration
        .setStatementInspector((StatementInspector) this::note)
        .setProperty(
            "hibernate.connection.url",
            "jdbc:h2:mem:hibernate" + DATABASES.incrementAndGet() + ";DB_CLOSE_DELAY=-1")
        .setProperty("hibernate.hbm2ddl.auto", "create")
        .setProperty("hibernate.jdbc.batch_size", "50")
        .setProperty("hibernate.order_inserts", "true")
        .setProperty("hibernate.generate_statistics", "true");
    configuration.getProperties().putAll(settings);
    sessions = configuration.buildSessionFactory();
    statements.clear();
    sessions.getStatistics().clear();
  }

  private String note(String sql) {
    statements.add(sql.substring(0, sql.indexOf(' ')));
    return sql;
  }

  /** The first words of the statements since the last call. */
  List<String> statements() {
    List<String> seen = List.copyOf(statements);
    statements.clear();
    return seen;
  }

  long preparedStatements() {
    return sessions.getStatistics().getPrepareStatementCount();
  }

  <T> T call(Function<Session, T> work) {
    return sessions.fromTransaction(work);
  }

  void run(Consumer<Session> work) {
    sessions.inTransaction(work);
  }

  @Override
  public void close() {
    sessions.close();
  }
}
