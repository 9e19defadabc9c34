package io.firn.spring;

import io.firn.IdGenerator;
import io.firn.integration.GeneratorSettings;
import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseListener;
import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentSource;
import io.firn.store.RegisterStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;

/** Makes the generators, as the properties say. */
final class Generators {

  private final FirnProperties settings;
  private final Environment environment;
  private final ObjectProvider<RegisterStore> store;
  private final ObjectProvider<SegmentSource> segments;
  private final LeaseListener listener;

  Generators(
      FirnProperties settings,
      Environment environment,
      ObjectProvider<RegisterStore> store,
      ObjectProvider<SegmentSource> segments,
      ObjectProvider<LeaseListener> listeners) {
    this.settings = settings;
    this.environment = environment;
    this.store = store;
    this.segments = segments;
    listener = new Listeners(listeners);
  }

  /** Returns the generator of a namespace; it asks for nothing before it starts. */
  NamespaceGenerator generator(String name) {
    FirnProperties.Namespace namespace = settings.namespace(name);
    return new NamespaceGenerator(
        name,
        namespace.type(),
        switch (namespace.type()) {
          case SNOWFLAKE -> () -> snowflake(name, namespace);
          case SEGMENT -> () -> segments(name, namespace);
        });
  }

  private IdGenerator snowflake(String name, FirnProperties.Namespace namespace) {
    LeaseConfig.Builder lease =
        LeaseConfig.builder(store.getObject(), name)
            .acquireTimeout(settings.acquireTimeout())
            .maxClockSkew(settings.maxClockSkew())
            .listener(listener);
    if (settings.instance() != null) {
      lease.instance(settings.instance());
    }
    GeneratorSettings generator = namespace.generator(settings.window());
    if (generator.pinnedWorker().isEmpty()) {
      WorkerChoice.pinned(settings, environment::getProperty).ifPresent(lease::worker);
    }
    return generator.leased(lease).build();
  }

  private IdGenerator segments(String name, FirnProperties.Namespace namespace) {
    SegmentGenerator.Builder builder =
        SegmentGenerator.builder(segments.getIfAvailable(() -> registers(namespace)), name);
    if (namespace.step() != null) {
      builder.step(namespace.step());
    }
    if (namespace.maxWait() != null) {
      builder.maxWait(namespace.maxWait());
    }
    return builder.build();
  }

  private SegmentSource registers(FirnProperties.Namespace namespace) {
    RegisterSegments.Builder builder = RegisterSegments.builder(store.getObject());
    if (namespace.initial() != null) {
      builder.initial(namespace.initial());
    }
    return builder.build();
  }
}
