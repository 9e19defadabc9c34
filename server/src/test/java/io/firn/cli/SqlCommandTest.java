package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SqlCommandTest {

  @Test
  void refusesStoresThatAreNoSuchDatabase() {
    assertThat(run("sql", "postgres", "--namespace", "a", "--worker", "17"))
        .startsWith("firn: store: not set (expected: the database that makes the IDs, with the");
    assertThat(run("sql", "mariadb", "--namespace", "a", "--worker", "17", "--store", "redis://h"))
        .startsWith("firn: store: redis://h (expected: the database")
        .contains("jdbc:mariadb://HOST/NAME");
    assertThat(run("sql", "oracle", "--namespace", "a", "--worker", "17"))
        .contains("database: oracle (expected: postgres or mariadb)");
    for (String number : new String[] {"+3", "\u0663", "x"}) {
      assertThat(run("sql", "postgres", "--namespace", "a", "--worker", number))
          .startsWith("firn: worker: " + number + " (expected: a whole number)\n");
    }
  }

  @Test
  void quotesTheAddressesOfItsHintsForTheShell() {
    assertThat(ShellWord.quoted("redis://127.0.0.1:6379/0")).isEqualTo("redis://127.0.0.1:6379/0");
    assertThat(ShellWord.quoted("jdbc:postgresql://h/d?user=app&password=***"))
        .isEqualTo("'jdbc:postgresql://h/d?user=app&password=***'");
    assertThat(ShellWord.quoted("file:/a b/it's")).isEqualTo("'file:/a b/it'\\''s'");
    assertThat(ShellWord.quoted("")).isEqualTo("''");
  }

  private static String run(String... args) {
    Session session = new Session();
    assertThat(session.run(args)).isEqualTo(2);
    return session.err();
  }

  @Test
  void helpsInUnderThirtyLines() {
    Session session = new Session();
    assertThat(session.run("help", "sql")).isZero();
    assertThat(session.out().lines().count()).isLessThan(30);
    assertThat(session.out().lines()).allMatch(line -> line.length() <= 100);
  }
}
