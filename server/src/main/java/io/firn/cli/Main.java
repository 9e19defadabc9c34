package io.firn.cli;

/** The entry point of the program {@code firn}. */
public final class Main {

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
      return;
    }
    System.exit(new Cli(Shell.ofProcess()).run(args));
  }
}
