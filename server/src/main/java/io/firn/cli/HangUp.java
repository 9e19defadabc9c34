package io.firn.cli;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The signal SIGHUP, at which servers read their configuration again. Java has no signals; OpenJDK
 * has them in the module {@code jdk.unsupported}, whose types javac warns of. Where they are
 * missing, nothing happens.
 */
final class HangUp {

  private static final Logger LOG = System.getLogger("io.firn.server");

  private static final AtomicBoolean PENDING = new AtomicBoolean();
  private static volatile @Nullable Runnable onHangUp;

  private HangUp() {}

  /** Keeps the signal from ending this process from now on. */
  static void hold() {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object onSignal =
          Proxy.newProxyInstance(
              HangUp.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  PENDING.set(true);
                  runPending();
                  return null;
                }
                return method.invoke(PENDING, arguments);
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), onSignal);
    } catch (ReflectiveOperationException e) {
      LOG.log(Level.DEBUG, "SIGHUP ends this process: " + e);
    }
  }

  /**
   * Runs an action at each signal from now on, in a thread of its own. If one came since {@link
   * #hold}, runs the action now.
   */
  static void run(Runnable action) {
    hold();
    onHangUp = action;
    runPending();
  }

  private static void runPending() {
    Runnable action = onHangUp;
    if (action != null && PENDING.getAndSet(false)) {
      action.run();
    }
  }
}
