package io.firn.spring;

import io.firn.IdGenerator;
import io.firn.IdScope;
import io.firn.integration.GeneratorSettings.Setting;
import io.firn.integration.WorkerNumber;
import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseListener;
import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentSource;
import io.firn.store.RegisterStore;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.env.Environment;

/** The generators of the context: each is made as the properties say. Thread-safe. */
final class Generators {

  private final FirnProperties settings;
  private final Environment environment;
  private final ObjectProvider<RegisterStore> store;
  private final ObjectProvider<SegmentSource> segments;
  private final ObjectProvider<ScopeCheck> guards;
  private final LeaseListener listener;
  private final DefaultListableBeanFactory beans;
  private final ReentrantLock adding = new ReentrantLock();
  private final List<NamespaceGenerator> all = new CopyOnWriteArrayList<>();
  private final List<Consumer<NamespaceGenerator>> watchers = new CopyOnWriteArrayList<>();

  Generators(
      FirnProperties settings,
      Environment environment,
      DefaultListableBeanFactory beans,
      ObjectProvider<RegisterStore> store,
      ObjectProvider<SegmentSource> segments,
      ObjectProvider<ScopeCheck> guards,
      ObjectProvider<LeaseListener> listeners) {
    this.settings = settings;
    this.environment = environment;
    this.beans = beans;
    this.store = store;
    this.segments = segments;
    this.guards = guards;
    listener = new Listeners(listeners);
  }

  /**
   * Returns the generator of a namespace; it requests nothing before it starts.
   *
   * @throws GeneratorStartException if settings contradict each other
   */
  NamespaceGenerator generator(String name) {
    FirnProperties.Namespace namespace = settings.namespace(name);
    NamespaceGenerator made =
        new NamespaceGenerator(
            name,
            beans.getBeanDefinition(GeneratorRegistrar.bean(name)).isAutowireCandidate(),
            namespace.type(),
            scopeCheck(name, namespace),
            switch (namespace.type()) {
              case SNOWFLAKE -> () -> Setting.withKeys(() -> snowflake(name, namespace));
              case SEGMENT -> () -> Setting.withKeys(() -> segments(name, namespace));
            });
    all.add(made);
    watchers.forEach(watcher -> watcher.accept(made));
    return made;
  }

  private @Nullable ScopeCheck scopeCheck(String name, FirnProperties.Namespace namespace) {
    try {
      return namespace.type() == FirnProperties.Type.SNOWFLAKE ? scopeCheck(namespace) : null;
    } catch (RuntimeException e) {
      throw new GeneratorStartException(name, e);
    }
  }

  /** Returns what checks the scope of each transaction; null if the namespace has no scopes. */
  private @Nullable ScopeCheck scopeCheck(FirnProperties.Namespace namespace) {
    if (namespace.commitGuard()) {
      if (!namespace.transactionScopes()) {
        throw new IllegalArgumentException("commit-guard: true (expected: transaction-scopes too)");
      }
      ScopeCheck guard = guards.getIfAvailable();
      if (guard == null) {
        throw new IllegalArgumentException(
            "commit-guard: true (expected: firn-jdbc, and one DataSource or a @Primary one, whose"
                + " database has the table of registers)");
      }
      return guard;
    }
    return namespace.transactionScopes() ? IdScope::beforeCommit : null;
  }

  /** Returns the generators that there are by now, sorted by name. */
  List<NamespaceGenerator> all() {
    beans.getBeansOfType(NamespaceGenerator.class); // makes those of a lazy context
    return all.stream().sorted(Comparator.comparing(NamespaceGenerator::name)).toList();
  }

  /**
   * Calls a watcher with each generator that there is, and with each that is added later. It may be
   * called twice for one generator.
   */
  void watch(Consumer<NamespaceGenerator> watcher) {
    watchers.add(watcher);
    all().forEach(watcher);
  }

  /**
   * Returns the generator of a name that an entity gives: a bean with this qualifier, or the
   * generator of the namespace, which is added with default settings if the properties do not have
   * it.
   *
   * @param name empty for the generator that is injected by type
   * @throws IllegalArgumentException if the name is empty and several generators could be meant
   */
  IdGenerator named(String name) {
    return name.isEmpty() ? unnamed() : beans.getBean(bean(name), IdGenerator.class);
  }

  private IdGenerator unnamed() {
    IdGenerator unique = beans.getBeanProvider(IdGenerator.class).getIfUnique();
    if (unique == null) {
      throw new IllegalArgumentException(
          "@FirnId: no name (expected: one of "
              + all().stream().map(NamespaceGenerator::name).toList()
              + ", or a namespace 'default')");
    }
    return unique;
  }

  private String bean(String qualifier) {
    adding.lock();
    try {
      return Arrays.stream(beans.getBeanNamesForType(IdGenerator.class, true, false))
          .filter(
              bean -> BeanFactoryAnnotationUtils.isQualifierMatch(qualifier::equals, bean, beans))
          .findFirst()
          .orElseGet(() -> GeneratorRegistrar.add(qualifier, beans));
    } finally {
      adding.unlock();
    }
  }

  private IdGenerator snowflake(String name, FirnProperties.Namespace namespace) {
    namespace.checkType();
    settings.checkOffset();
    LeaseConfig.Builder lease = LeaseConfig.builder(store(name), name).listener(listener);
    return namespace.generator(settings).leased(lease, this::ordinal).build();
  }

  /** Returns the store, which is closed after the generator that gives its lease back to it. */
  private RegisterStore store(String namespace) {
    RegisterStore opened = store.getObject();
    closeAfter(namespace, RegisterStore.class);
    return opened;
  }

  private void closeAfter(String namespace, Class<?> type) {
    for (String bean : beans.getBeanNamesForType(type, true, false)) {
      beans.registerDependentBean(bean, GeneratorRegistrar.bean(namespace));
    }
  }

  private long ordinal() {
    return WorkerNumber.ordinal(environment::getProperty) + settings.workerOffset();
  }

  private IdGenerator segments(String name, FirnProperties.Namespace namespace) {
    namespace.checkType();
    SegmentSource source = segments.getIfAvailable();
    closeAfter(name, SegmentSource.class);
    if (source != null && namespace.initial() != null) {
      throw new IllegalArgumentException(
          "initial: " + namespace.initial() + " (expected: not set beside a SegmentSource bean)");
    }
    SegmentGenerator.Builder builder =
        SegmentGenerator.builder(source == null ? registers(name, namespace) : source, name);
    if (namespace.step() != null) {
      builder.step(namespace.step());
    }
    if (namespace.maxWait() != null) {
      builder.maxWait(namespace.maxWait());
    }
    return builder.build();
  }

  private SegmentSource registers(String name, FirnProperties.Namespace namespace) {
    RegisterSegments.Builder builder = RegisterSegments.builder(store(name));
    if (namespace.initial() != null) {
      builder.initial(namespace.initial());
    }
    return builder.build();
  }
}
