package io.firn.gates;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import org.jspecify.annotations.Nullable;

/** The rules for the first word of Javadoc comments. */
final class JavadocRules {

  /** A verb in the third person, with what may follow it. */
  private static final Pattern VERB = Pattern.compile("[A-Z][a-z]+s[,:]?");

  private static final Set<String> NO_VERBS =
      Set.of("This", "Its", "Always", "Afterwards", "Perhaps", "Numbers", "Rows", "Seconds");

  /** Of methods that someone else calls, and of those that only answer for another. */
  private static final Set<String> EXCEPTIONS = Set.of("Called", "{@inheritDoc}");

  private static final Pattern QUESTION =
      Pattern.compile("(What|Where|When|Why|Who|Whom|Whose|Which|How|Whether)\\b.*");

  /**
   * What a scan found.
   *
   * @param comments the number of comments
   * @param questions those that begin with a question word
   * @param notVerbs public methods whose comment begins with something else than a verb
   */
  record Found(int comments, List<String> questions, List<String> notVerbs) {}

  private JavadocRules() {}

  /** Reads the comments below some folders. */
  static Found below(List<Path> folders) throws IOException {
    SourceTrees.Parsed parsed = SourceTrees.below(folders);
    Scanner scanner = new Scanner(DocTrees.instance(parsed.task()));
    for (CompilationUnitTree unit : parsed.units()) {
      scanner.scan(unit, null);
    }
    return new Found(scanner.comments, scanner.questions, scanner.notVerbs);
  }

  private static final class Scanner extends TreePathScanner<Void, Void> {
    private final DocTrees trees;
    private final List<String> questions = new ArrayList<>();
    private final List<String> notVerbs = new ArrayList<>();
    private int comments;

    private Scanner(DocTrees trees) {
      this.trees = trees;
    }

    @Override
    public Void visitClass(ClassTree node, Void nothing) {
      read(node.getSimpleName().toString(), false);
      return super.visitClass(node, null);
    }

    @Override
    public Void visitMethod(MethodTree node, Void nothing) {
      read(node.getName().toString(), isPublic(node.getModifiers()));
      return super.visitMethod(node, null);
    }

    @Override
    public Void visitVariable(VariableTree node, Void nothing) {
      read(node.getName().toString(), false);
      return super.visitVariable(node, null);
    }

    private boolean isPublic(ModifiersTree modifiers) {
      Tree owner = getCurrentPath().getParentPath().getLeaf();
      return modifiers.getFlags().contains(Modifier.PUBLIC)
          || (owner.getKind() == Tree.Kind.INTERFACE
              && !modifiers.getFlags().contains(Modifier.PRIVATE));
    }

    private void read(String name, boolean isMethod) {
      String first = firstWord(trees.getDocComment(getCurrentPath()));
      if (first == null) {
        return;
      }
      comments++;
      String unit = getCurrentPath().getCompilationUnit().getSourceFile().getName();
      String place = Path.of(unit).getFileName() + ": " + name + ": " + first;
      if (QUESTION.matcher(first).matches()) {
        questions.add(place);
      }
      if (isMethod && !EXCEPTIONS.contains(first) && !isVerb(first)) {
        notVerbs.add(place);
      }
    }

    private static boolean isVerb(String word) {
      return VERB.matcher(word).matches() && !NO_VERBS.contains(word);
    }

    private static @Nullable String firstWord(@Nullable String comment) {
      return comment == null || comment.isBlank() ? null : comment.strip().split("\\s+", 2)[0];
    }
  }
}
