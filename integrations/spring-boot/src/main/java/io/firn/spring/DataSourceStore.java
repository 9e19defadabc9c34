package io.firn.spring;

import io.firn.jdbc.CommitGuard;
import io.firn.jdbc.JdbcRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.store.StoreUri;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Leases from a table of the application's database. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({JdbcRegisterStore.class, DataSource.class})
@ConditionalOnSingleCandidate(DataSource.class)
class DataSourceStore {

  /** After Flyway and Liquibase, which refuse a database that has a table already. */
  @Bean
  @DependsOnDatabaseInitialization
  StoreSource firnDataSource(DataSource dataSource) {
    return new StoreSource("datasource", settings -> open(dataSource, settings));
  }

  /** Used by namespaces with commit-guard; the table of registers is in this database. */
  @Bean
  @Lazy
  ScopeCheck firnCommitGuard(DataSource dataSource, FirnProperties settings) {
    CommitGuard guard =
        Optional.ofNullable(settings.store())
            .filter(store -> store.contains(":"))
            .flatMap(store -> StoreUri.parse(store).parameter("table"))
            .map(CommitGuard::ofTable)
            .orElseGet(CommitGuard::create);
    return new GuardedCommits(dataSource, guard);
  }

  private static RegisterStore open(DataSource dataSource, StoreUri settings) {
    settings.allow("table", "timeout", "may-forget", "allow-counters", "ddl");
    JdbcRegisterStore.Builder store =
        JdbcRegisterStore.builder(dataSource)
            .timeout(settings.timeout())
            .borrowTimeout(settings.timeout())
            .mayForget(settings.flag("may-forget", false))
            .allowCounters(settings.flag("allow-counters", false))
            .createTable(settings.flag("ddl", true));
    settings.parameter("table").ifPresent(store::table);
    return store.build();
  }
}
