package io.firn.testservers;

import io.firn.testkit.FreePort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * {@code firn serve}, of the class path of this JVM: over the Redis protocol at {@link #address},
 * and over HTTP. SIGTERM ends it at {@link #close}, so that it gives its leases back.
 */
public final class FirnServer extends ServerProcess {

  private final int httpPort = FreePort.next();
  private final List<String> jvm;
  private final List<String> arguments;

  private FirnServer(List<String> jvm, List<String> arguments) {
    super("firn", "  open http", "TERM");
    this.jvm = jvm;
    this.arguments = arguments;
  }

  /** Starts one, for a test of what it does: with a small heap, and compiled by C1 alone. */
  public static FirnServer start(String... arguments) {
    return start(TestJvm.SHORT, List.of(arguments));
  }

  /**
   * Starts one.
   *
   * @param jvm options of its JVM
   * @param arguments of {@code firn serve}, such as {@code "--store", "memory:"}
   */
  public static FirnServer start(List<String> jvm, List<String> arguments) {
    FirnServer server = new FirnServer(jvm, arguments);
    server.orClosed(server::restart);
    return server;
  }

  @Override
  List<String> command() {
    List<String> all =
        new ArrayList<>(
            List.of(
                "serve",
                "--listen-redis=127.0.0.1:" + port(),
                "--listen-http=127.0.0.1:" + httpPort));
    all.addAll(arguments);
    addUnlessGiven(all, "--listen-thrift", "off");
    addUnlessGiven(all, "--drain", "0ms"); // ends at once
    return TestJvm.command(jvm, "io.firn.cli.Main", all);
  }

  private static void addUnlessGiven(List<String> arguments, String flag, String value) {
    if (arguments.stream().noneMatch(argument -> argument.startsWith(flag + "="))) {
      arguments.add(flag + "=" + value);
    }
  }

  @Override
  void arrange(Map<String, String> environment) {
    clearSettings(environment);
  }

  /** Removes all settings of a server from the environment: a test sets its own. */
  public static void clearSettings(Map<String, String> environment) {
    environment.keySet().removeIf(name -> name.startsWith("FIRN_"));
  }

  /** Returns where it speaks HTTP. */
  public InetSocketAddress httpAddress() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), httpPort);
  }

  /** Stops it as an operator does, by SIGTERM, waits until it has ended, and returns its code. */
  public int stop() throws InterruptedException {
    running().destroy();
    if (!running().waitFor(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException(this + " runs a minute after SIGTERM; look at its output");
    }
    return running().exitValue();
  }

  /** Returns the number of its process, as long as it runs. */
  public long pid() {
    return family().get(0).pid();
  }
}
