package io.firn.cli;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Proxy;

/**
 * The signal SIGHUP, at which servers read their configuration again. Java has no signals; OpenJDK
 * has them in the module {@code jdk.unsupported}, whose types javac warns of. Where they are
 * missing, nothing happens.
 */
final class HangUp {

  private static final Logger LOG = System.getLogger("io.firn.server");

  private HangUp() {}

  /** Runs an action at each signal from now on, in a thread of its own. */
  static void run(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object onSignal =
          Proxy.newProxyInstance(
              HangUp.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                  return null;
                }
                return method.invoke(action, arguments);
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), onSignal);
    } catch (ReflectiveOperationException e) {
      LOG.log(Level.DEBUG, "SIGHUP ends this process: " + e);
    }
  }
}
