package io.firn.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows what to add where there is no store. */
final class NoStoreFailureAnalyzer extends AbstractFailureAnalyzer<NoStoreException> {

  private static final String ACTION =
      """
      Name a store that all instances reach:

          firn:
            store: redis://HOST:6379   # jdbc:postgresql://HOST/DB, zookeeper://HOST, file:DIR, ...
            worker: lease              # or ordinal: the number of the pod, leased too

      or, to lease from the application's own database or Redis, add io.firn:firn-jdbc or \
      io.firn:firn-redis to its dependencies, and 'firn.store: datasource' or 'redis' where it has \
      both.""";

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, NoStoreException cause) {
    return new FailureAnalysis(cause.getMessage(), ACTION, cause);
  }
}
