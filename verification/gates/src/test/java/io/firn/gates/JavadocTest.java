package io.firn.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Javadoc says what a method does: Returns the fence. */
final class JavadocTest {

  private static JavadocRules.Found everywhere;

  @TempDir private Path directory;

  @BeforeAll
  static void readEverySource() throws IOException {
    List<String> modules =
        Stream.concat(Checkout.modules().stream(), Checkout.modulesOf("engines").stream()).toList();
    everywhere = JavadocRules.below(SourceTrees.mainOf(modules));
  }

  @Test
  void publicMethodsBeginWithAVerbInTheThirdPerson() {
    assertThat(everywhere.notVerbs()).isEmpty();
  }

  @Test
  void noCommentBeginsWithAQuestionWord() {
    assertThat(everywhere.comments()).isGreaterThan(3000);
    assertThat(everywhere.questions()).isEmpty();
  }

  @Test
  void plantedCommentsAreFound() throws IOException {
    Files.writeString(
        directory.resolve("Planted.java"),
        """
        /** What is planted. */
        public class Planted {
          /** How many there are. */
          int count;
          /** Returns the count. */
          public int count() { return count; }
          /** The name. */
          public String name() { return ""; }
          /** Whether it is so. */
          boolean isSo() { return true; }
          /** Where it stands. */
          int place;
          /** Its size. */
          public int size() { return 0; }
          interface Listener {
            /** Called when it is done. */
            void done();
            /** A step was done. */
            void step();
          }
        }
        """);
    JavadocRules.Found found = JavadocRules.below(List.of(directory));
    assertThat(found.comments()).isEqualTo(9);
    assertThat(found.questions())
        .containsExactly(
            "Planted.java: Planted: What",
            "Planted.java: count: How",
            "Planted.java: isSo: Whether",
            "Planted.java: place: Where");
    assertThat(found.notVerbs())
        .containsExactly(
            "Planted.java: name: The", "Planted.java: size: Its", "Planted.java: step: A");
  }
}
