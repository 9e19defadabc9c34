package io.firn.spring;

import io.firn.lease.LeaseListener;
import io.firn.segment.SegmentSource;
import io.firn.store.RegisterStore;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Generators of IDs as beans: one for each of {@code firn.namespaces.*}, qualified by its name, or
 * one of the namespace {@code default}. Their worker IDs are leased when the application starts,
 * and given back when it stops; without a store to lease from, it does not start.
 */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
    })
@EnableConfigurationProperties(FirnProperties.class)
@ImportRuntimeHints(SettingHints.class)
@Import({
  Choices.class,
  NamespaceNames.class,
  NamespaceNames.NoSettings.class,
  DataSourceStore.class,
  RedisStore.class,
  TransactionScopesConfiguration.class,
  GeneratorRegistrar.class
})
public class FirnAutoConfiguration {

  private static final Log LOGGER = LogFactory.getLog(FirnAutoConfiguration.class);

  /** For Spring. */
  FirnAutoConfiguration() {}

  @Bean
  Generators firnGenerators(
      FirnProperties settings,
      Environment environment,
      DefaultListableBeanFactory beans,
      ObjectProvider<RegisterStore> store,
      ObjectProvider<SegmentSource> segments,
      ObjectProvider<ScopeCheck> guards,
      ObjectProvider<LeaseListener> listeners) {
    return new Generators(settings, environment, beans, store, segments, guards, listeners);
  }

  /** Lazy: an application whose generators are all its own needs none. */
  @Bean
  @Lazy
  @ConditionalOnMissingBean
  RegisterStore firnStore(
      FirnProperties settings, ObjectProvider<StoreSource> sources, ListableBeanFactory beans) {
    List<StoreSource> own =
        sources.stream().sorted(Comparator.comparing(StoreSource::name)).toList();
    List<String> names = own.stream().map(StoreSource::name).toList();
    String store = settings.store();
    if (store == null && own.size() != 1) {
      throw new NoStoreException("not set", names, dataSources(own, beans));
    }
    if (store == null) {
      return own.get(0).open(names.get(0));
    }
    Optional<StoreSource> meant = own.stream().filter(one -> one.isMeantBy(store)).findFirst();
    if (meant.isPresent()) {
      return meant.get().open(store);
    }
    if (!store.contains(":")) {
      throw new NoStoreException(store, names, dataSources(own, beans));
    }
    if (store.equals("memory:")) {
      LOGGER.warn(
          "firn.store: memory: is of this process alone. Another instance may issue the same IDs.");
    }
    return RegisterStore.open(store);
  }

  private static List<String> dataSources(List<StoreSource> own, ListableBeanFactory beans) {
    return own.isEmpty() ? List.of(beans.getBeanNamesForType(DataSource.class)) : List.of();
  }

  /**
   * Creates the readiness.
   *
   * @param availability made first, because listeners of the same order are notified in the order
   *     in which they were made: what this one publishes in answer to an event is the last
   */
  @Bean
  @ConditionalOnProperty(name = "firn.readiness", matchIfMissing = true)
  Readiness firnReadiness(
      ApplicationEventPublisher publisher, ObjectProvider<ApplicationAvailability> availability) {
    availability.ifUnique(made -> {});
    return new Readiness(publisher);
  }
}
