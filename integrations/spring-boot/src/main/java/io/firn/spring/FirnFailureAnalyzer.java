package io.firn.spring;

import io.firn.FirnException;
import io.firn.lease.ClockSkewException;
import io.firn.lease.LayoutMismatchException;
import io.firn.lease.NoFreeWorkerException;
import io.firn.store.StoreException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why a generator did not start, and what to change. */
final class FirnFailureAnalyzer extends AbstractFailureAnalyzer<FirnException> {

  private static final String NAME_A_STORE =
      """
      Name a store that all instances reach:

          firn:
            store: redis://HOST:6379   # jdbc:postgresql://HOST/DB, zookeeper://HOST, file:DIR, ...
            worker: lease              # or ordinal: the number of the pod, leased too

      or, to lease from the application's own database or Redis, add io.firn:firn-jdbc or \
      io.firn:firn-redis to its dependencies, and 'firn.store: datasource' or 'redis' where it has \
      both. Of several DataSource beans mark one @Primary, or make a RegisterStore bean of the one \
      that is meant: JdbcRegisterStore.of(dataSource).""";

  /** In the message of a worker ID that is free again at a known time, whatever processes do. */
  private static final String SETTLING = "when its settling time ends";

  private static final String WAIT_FOR_IT =
      "Start again at the time in the message, or raise firn.acquire-timeout, so that the start"
          + " waits until then. No process has to be stopped.";

  private static final Map<Class<? extends Exception>, String> ACTIONS = new LinkedHashMap<>();

  static {
    ACTIONS.put(NoStoreException.class, NAME_A_STORE);
    ACTIONS.put(
        LayoutMismatchException.class,
        "Set firn.namespaces.NAME.layout to the layout that the namespace has, or take another"
            + " namespace.");
    ACTIONS.put(
        NoFreeWorkerException.class,
        "Stop a process that holds a worker ID, or take a layout with more workers. 'firn workers"
            + " --store ADDRESS' lists the holders.");
    ACTIONS.put(
        ClockSkewException.class,
        "Synchronize the clock of this host, or raise firn.max-clock-skew.");
    ACTIONS.put(
        StoreException.class,
        "Check that the store of firn.store answers, and that its user may read and write there.");
    ACTIONS.put(
        IllegalArgumentException.class,
        "Correct the setting: firn.namespaces.NAME.* for one namespace, firn.* for all.");
  }

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, FirnException failure) {
    return new FailureAnalysis(failure.getMessage(), action(failure), failure);
  }

  private static String action(Throwable failure) {
    if (String.valueOf(failure.getMessage()).contains(SETTLING)) {
      return WAIT_FOR_IT;
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      for (Map.Entry<Class<? extends Exception>, String> action : ACTIONS.entrySet()) {
        if (action.getKey().isInstance(cause)) {
          return action.getValue();
        }
      }
    }
    return "Correct what the message says.";
  }
}
