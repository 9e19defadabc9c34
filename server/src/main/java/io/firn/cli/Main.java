package io.firn.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Placeholder. */
@Command(
    name = "firn",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    description = "Time-ordered unique IDs.")
public final class Main implements Callable<Integer> {
  private Main() {}

  /**
   * Runs a command.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public Integer call() {
    System.out.println(1);
    return 0;
  }

  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"firn " + (version == null ? "development" : version)};
    }
  }
}
