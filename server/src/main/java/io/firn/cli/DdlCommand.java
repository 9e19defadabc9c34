package io.firn.cli;

import io.firn.jdbc.JdbcRegisterStore;
import java.io.IOException;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the statement that makes the table of registers. */
@Command(
    name = "ddl",
    description = {
      "Print the statement that creates the register table in a database.",
      "Use it in your migrations, and add ddl=false to the address of the store."
    })
final class DdlCommand implements Callable<Integer> {

  private final Shell shell;

  @Parameters(
      paramLabel = "DATABASE",
      completionCandidates = Databases.class,
      description = "One of ${COMPLETION-CANDIDATES}.")
  @Nullable String database;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      defaultValue = JdbcRegisterStore.TABLE,
      description = "NAME or SCHEMA.NAME; ${DEFAULT-VALUE} by default.")
  String table = JdbcRegisterStore.TABLE;

  DdlCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    try {
      shell.print(JdbcRegisterStore.ddl(Objects.requireNonNull(database), table) + ";\n");
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
    shell.out().flush();
    return 0;
  }

  /** For completion and help. */
  static final class Databases implements Iterable<String> {

    @Override
    public Iterator<String> iterator() {
      return JdbcRegisterStore.databases().iterator();
    }
  }
}
