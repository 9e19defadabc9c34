package io.firn.examples.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class PersistenceExamplesTest {

  @Test
  void hibernateInsertsOrders() {
    String[] args = {"jdbc:h2:mem:hibernate-orders;DB_CLOSE_DELAY=-1"};
    assertThat(output(() -> HibernateOrders.main(args)))
        .matches(
            """
            order [0-9]+ [0-9A-Z]{13} [0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f-]{17}
            1 issued
            """);
  }

  @Test
  void myBatisInsertsOrders() {
    String[] args = {"jdbc:h2:mem:mybatis-orders;DB_CLOSE_DELAY=-1"};
    assertThat(output(() -> MyBatisOrders.main(args))).matches("(order [0-9]+ [0-9A-Z]{13}\n){2}");
  }

  @Test
  void myBatisPlusInsertsAnOrder() {
    String[] args = {"jdbc:h2:mem:mybatis-plus-orders;DB_CLOSE_DELAY=-1"};
    assertThat(output(() -> MyBatisPlusOrders.main(args))).matches("order [0-9]+\n");
  }

  private static String output(Runnable example) {
    PrintStream before = System.out;
    ByteArrayOutputStream captured = new ByteArrayOutputStream();
    System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
    try {
      example.run();
    } finally {
      System.setOut(before);
    }
    return captured.toString(StandardCharsets.UTF_8);
  }
}
