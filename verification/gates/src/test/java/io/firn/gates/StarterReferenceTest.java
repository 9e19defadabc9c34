package io.firn.gates;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import org.junit.jupiter.api.Test;

/** The page of the starter has its properties, those that the records of its settings have. */
final class StarterReferenceTest {

  private static final String PAGE = "docs/using/spring-boot.md";
  private static final Path SETTINGS =
      Path.of("integrations/spring-boot/src/main/java/io/firn/spring");

  /** The records, and how their properties begin behind {@code firn.}. */
  private static final Map<String, String> RECORDS =
      Map.of("FirnProperties", "", "Namespace", "namespaces.NAME.");

  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** A new property needs its line in the table of the page. */
  @Test
  void everyPropertyHasItsLineAndEveryLineItsProperty() throws IOException {
    assertThat(documented()).hasSizeGreaterThan(20).isEqualTo(properties());
  }

  private static Set<String> properties() throws IOException {
    Set<String> properties = new TreeSet<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitClass(ClassTree node, Void nothing) {
        String prefix = RECORDS.get(node.getSimpleName().toString());
        if (node.getKind() == Tree.Kind.RECORD && prefix != null) {
          for (Tree member : node.getMembers()) {
            if (member instanceof VariableTree component
                && !component.getModifiers().getFlags().contains(Modifier.STATIC)) {
              properties.add(prefix + kebab(component.getName().toString()));
            }
          }
        }
        return super.visitClass(node, null);
      }
    }.scan(SourceTrees.below(List.of(Checkout.ROOT.resolve(SETTINGS))).units(), null);
    return properties;
  }

  private static Set<String> documented() throws IOException {
    Set<String> properties = new TreeSet<>();
    boolean table = false;
    for (String line : Files.readAllLines(Checkout.ROOT.resolve(PAGE))) {
      table = line.startsWith("| `firn.`") || (table && line.startsWith("|"));
      if (table && line.startsWith("| `") && !line.startsWith("| `firn.`")) {
        CODE.matcher(line.substring(0, line.indexOf(" | ")))
            .results()
            .map(code -> code.group(1))
            .map(code -> code.startsWith(".") ? "namespaces.NAME" + code : code)
            .forEach(properties::add);
      }
    }
    return properties;
  }

  private static String kebab(String name) {
    return Pattern.compile("[A-Z]")
        .matcher(name)
        .replaceAll(capital -> "-" + Character.toLowerCase(capital.group().charAt(0)));
  }
}
