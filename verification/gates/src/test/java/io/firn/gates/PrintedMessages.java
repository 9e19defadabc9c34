package io.firn.gates;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The texts of failures and warnings in sources: of exceptions that are made, and of what is logged
 * as a warning or an error. What is put in at run time is written as an ellipsis.
 */
final class PrintedMessages {

  /** Bad arguments have one format, which the documentation explains once. */
  private static final Set<String> OTHER_FORMAT =
      Set.of(
          "IllegalArgumentException",
          "NumberFormatException",
          "IndexOutOfBoundsException",
          "NoSuchElementException");

  private static final Set<String> LOGGING = Set.of("log", "logNow");

  /** With what surrounds it, so that the place is found. */
  private static final Pattern INSTRUCTION =
      Pattern.compile(".{0,40}\\(expected: (to|no such) .{0,40}");

  /** The beginning of a failure that a method returns or passes on as text. */
  private static final Pattern SENTENCE =
      Pattern.compile(
          "store .*|Namespace … (is being|did not) .*"
              + "|(The clock|The lease|The command|Store|Key|No number of|No worker ID of|Worker)"
              + " .*….*");

  /** Failures, whose texts are sentences. */
  private static final Set<String> SENTENCES =
      Set.of(
          "BlockShapeException",
          "ClockMovedBackwardsException",
          "ClockSkewException",
          "CounterWentBackException",
          "FirnException",
          "GeneratorClosedException",
          "GeneratorStartException",
          "IdsUnavailableException",
          "IllegalStateException",
          "LayoutExpiredException",
          "LayoutMismatchException",
          "LeaseExpiredException",
          "NoFreeWorkerException",
          "ScopeExpiredException",
          "SegmentRefusedException",
          "SegmentUnavailableException",
          "SequenceExhaustedException",
          "StoreException",
          "UnreadableRecordException",
          "WaitInterruptedException");

  /** The beginning of a refused argument: its name and a colon. */
  private static final Pattern ARGUMENT = Pattern.compile("[a-z][a-z -]*: .*");

  private static final String VALUE = "…";

  private PrintedMessages() {}

  /**
   * Returns the literals below some folders that say of a failure what it should have been: a rule
   * in brackets is for arguments, and a failure is a sentence.
   */
  static Set<String> instructions(List<Path> folders) throws IOException {
    Set<String> found = new TreeSet<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitBinary(BinaryTree node, Void nothing) {
        add(template(node));
        return super.visitBinary(node, null);
      }

      @Override
      public Void visitLiteral(LiteralTree node, Void nothing) {
        add(template(node));
        return null;
      }

      private void add(String text) {
        Matcher instruction = INSTRUCTION.matcher(text);
        if (instruction.find()) {
          found.add(instruction.group());
        }
      }
    }.scan(SourceTrees.below(folders).units(), null);
    return found;
  }

  /** Returns the texts of failures below some folders that have the form of an argument. */
  static Set<String> rulesInFailures(List<Path> folders) throws IOException {
    Set<String> found = new TreeSet<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitNewClass(NewClassTree node, Void nothing) {
        add(node.getIdentifier(), node.getArguments());
        return super.visitNewClass(node, null);
      }

      @Override
      public Void visitMethodInvocation(MethodInvocationTree node, Void nothing) {
        if (node.getMethodSelect() instanceof MemberSelectTree method) {
          add(method.getExpression(), node.getArguments());
        }
        return super.visitMethodInvocation(node, null);
      }

      private void add(Tree type, List<? extends ExpressionTree> arguments) {
        if (SENTENCES.contains(type.toString())) {
          arguments.stream()
              .map(PrintedMessages::template)
              .filter(text -> text.contains("(expected:") || ARGUMENT.matcher(text).matches())
              .forEach(found::add);
        }
      }
    }.scan(SourceTrees.below(folders).units(), null);
    return found;
  }

  /** Returns the texts below some folders, each once. */
  static Set<String> below(List<Path> folders) throws IOException {
    Set<String> found = new TreeSet<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitNewClass(NewClassTree node, Void nothing) {
        String type = node.getIdentifier().toString();
        if (type.endsWith("Exception") && !OTHER_FORMAT.contains(type)) {
          node.getArguments().stream().flatMap(PrintedMessages::text).forEach(found::add);
        }
        return super.visitNewClass(node, null);
      }

      @Override
      public Void visitReturn(ReturnTree node, Void nothing) {
        text(node.getExpression()).filter(PrintedMessages::isFailure).forEach(found::add);
        return super.visitReturn(node, null);
      }

      @Override
      public Void visitMethodInvocation(MethodInvocationTree node, Void nothing) {
        String name = node.getMethodSelect().toString().replaceFirst("(?s).*\\.", "");
        List<? extends ExpressionTree> arguments = node.getArguments();
        if (LOGGING.contains(name)
            && arguments.size() > 1
            && arguments.get(0).toString().matches("(.*\\.)?Level\\.(WARNING|ERROR)|level")) {
          text(arguments.get(1)).forEach(found::add);
        }
        arguments.stream()
            .flatMap(PrintedMessages::text)
            .filter(text -> name.equals("super") || isFailure(text))
            .forEach(found::add);
        return super.visitMethodInvocation(node, null);
      }
    }.scan(SourceTrees.below(folders).units(), null);
    return found;
  }

  private static boolean isFailure(String text) {
    return text.contains(" (expected: ") || SENTENCE.matcher(text).matches();
  }

  /** Returns the text of an expression, or none if all its words are put in at run time. */
  private static Stream<String> text(Tree expression) {
    String text = template(expression).replaceAll("…(\\s*…)+", VALUE).strip();
    return text.replace("(expected", "").matches(".*\\p{L}{3,}.*")
        ? Stream.of(text)
        : Stream.empty();
  }

  private static String template(Tree expression) {
    if (expression instanceof LiteralTree literal) {
      return literal.getValue() instanceof String value ? pattern(value) : VALUE;
    }
    if (expression instanceof BinaryTree sum && sum.getKind() == Tree.Kind.PLUS) {
      return template(sum.getLeftOperand()) + template(sum.getRightOperand());
    }
    if (expression instanceof ParenthesizedTree inner) {
      return template(inner.getExpression());
    }
    if (expression instanceof LambdaExpressionTree lambda) {
      return template(lambda.getBody());
    }
    if (expression instanceof MethodInvocationTree call
        && call.getMethodSelect().toString().matches("(?s)\".*\"\\.formatted")) {
      return template(((MemberSelectTree) call.getMethodSelect()).getExpression());
    }
    return VALUE;
  }

  private static String pattern(String text) {
    return text.replaceAll("%[-,0-9.]*[a-zA-Z]", VALUE).replace("%n", " ").replaceAll("\\s+", " ");
  }
}
