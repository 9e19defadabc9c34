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
