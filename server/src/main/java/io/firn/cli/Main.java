package io.firn.cli;

import java.util.Properties;

/** The entry point of the program {@code firn}. */
public final class Main {

  /**
   * The level at which Netty looks for buffers that were not released: disabled, simple, advanced …
   */
  static final String LEAK_DETECTION = "io.netty.leakDetection.level";

  private Main() {}

  /**
   * Runs one command and ends the process with its exit code: 0 for success, 1 for a failure, 2 for
   * bad input.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    if (args.length == 1 && args[0].equals("--version")) {
      System.out.println(Version.text()); // needs no parser
      if (!System.out.checkError()) {
        return;
      }
    }
    if (args.length > 0 && args[0].equals("serve")) {
      HangUp.hold(); // at once: a reload may come before the server has started
    }
    searchNoLeaks(System.getProperties());
    CommandLog.choose(System.getProperties());
    System.exit(new Cli(Shell.ofProcess()).run(args));
  }

  /**
   * Turns the search for leaked buffers off, unless it is set. By default Netty takes stack traces
   * of a sample of all buffers, which shows in the CPU time of a server whose clients do not
   * pipeline. Tests that run in this process have it.
   */
  static void searchNoLeaks(Properties properties) {
    properties.putIfAbsent(LEAK_DETECTION, "disabled");
  }
}
