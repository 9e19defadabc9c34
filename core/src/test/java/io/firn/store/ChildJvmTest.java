package io.firn.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ChildJvmTest {

  /** Prints a line every 10 ms. */
  static final class Chatter {
    public static void main(String[] args) throws InterruptedException {
      for (int line = 0; line < 3_000; line++) {
        System.out.println("line " + line);
        Thread.sleep(10);
      }
    }
  }

  @Test
  @Timeout(20)
  void lineThatIsNotPrintedInTimeFailsWithTheOutput() throws Exception {
    try (ChildJvm child = ChildJvm.start(Chatter.class)) {
      assertThatThrownBy(() -> child.lineThatBegins("absent", 2))
          .isInstanceOf(AssertionError.class)
          .hasMessageStartingWith("no line \"absent\" in 2 s:\nline 0\nline 1\n");
    }
  }

  @Test
  @Timeout(20)
  void lineThatASilentProcessDoesNotPrintFailsInTime() throws Exception {
    try (ChildJvm child = ChildJvm.start(Silent.class)) {
      assertThatThrownBy(() -> child.lineThatBegins("absent", 2))
          .isInstanceOf(AssertionError.class)
          .hasMessage("no line \"absent\" in 2 s:\n");
    }
  }

  /** Prints nothing. */
  static final class Silent {
    public static void main(String[] args) throws InterruptedException {
      Thread.sleep(30_000);
    }
  }
}
