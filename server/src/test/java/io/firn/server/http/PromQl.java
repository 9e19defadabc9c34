package io.firn.server.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads expressions of the part of PromQL that the dashboard and the rules are written in, and
 * demands that every metric in them exists.
 */
final class PromQl {

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*(\"[^\"]*\"|\\[(?:[0-9]+[smhd]|\\$__rate_interval)]|[0-9]+(?:\\.[0-9]+)?"
              .concat("|[A-Za-z_][A-Za-z0-9_]*|==|!=|>=|<=|=~|!~|[-+*/<>=(){},])"));
  private static final Set<String> AGGREGATIONS = Set.of("sum", "min", "max", "avg", "count");
  private static final Set<String> OVER_RANGES = Set.of("rate", "increase");
  private static final Set<String> OPERATORS =
      Set.of("+", "-", "*", "/", "==", "!=", ">", "<", ">=", "<=", "and", "or", "unless");

  private final Set<String> metrics;
  private final List<String> tokens = new ArrayList<>();
  private int at;

  PromQl(Set<String> metrics) {
    this.metrics = metrics;
  }

  /** Fails if it cannot be read. */
  void check(String expression) {
    tokens.clear();
    at = 0;
    Matcher token = TOKEN.matcher(expression.strip());
    int end = 0;
    while (token.lookingAt()) {
      tokens.add(token.group(1));
      end = token.end();
      token.region(end, token.regionEnd());
    }
    require(end == expression.strip().length(), "a token", expression);
    expression();
    require(at == tokens.size(), "an operator or the end", expression);
  }

  private void expression() {
    operand();
    while (OPERATORS.contains(peek())) {
      at++;
      if (take("on") || take("ignoring")) {
        labels();
      }
      operand();
    }
  }

  private void operand() {
    String token = next();
    if (token.equals("(")) {
      expression();
      expect(")");
    } else if (AGGREGATIONS.contains(token)) {
      if (take("by") || take("without")) {
        labels();
      }
      expect("(");
      expression();
      expect(")");
    } else if (OVER_RANGES.contains(token)) {
      expect("(");
      selector(next());
      require(next().startsWith("["), "a range", token);
      expect(")");
    } else if (token.equals("histogram_quantile")) {
      expect("(");
      operand();
      expect(",");
      expression();
      expect(")");
    } else if (!Character.isDigit(token.charAt(0))) {
      selector(token);
    }
  }

  private void selector(String metric) {
    require(metrics.contains(metric), "a metric that there is", metric);
    if (take("{")) {
      do {
        label();
        require(Set.of("=", "=~", "!=", "!~").contains(next()), "a comparison", metric);
        require(next().startsWith("\""), "a text", metric);
      } while (take(","));
      expect("}");
    }
  }

  private void labels() {
    expect("(");
    do {
      label();
    } while (take(","));
    expect(")");
  }

  private void label() {
    String label = next();
    require(
        Set.of(
                "le",
                "protocol",
                "namespace",
                "instance",
                "job",
                "outcome",
                "area",
                "reason",
                "state")
            .contains(label),
        "a label that there is",
        label);
  }

  private String peek() {
    return at < tokens.size() ? tokens.get(at) : "the end";
  }

  private String next() {
    require(at < tokens.size(), "more", "the end");
    return tokens.get(at++);
  }

  private boolean take(String token) {
    boolean there = peek().equals(token);
    at += there ? 1 : 0;
    return there;
  }

  private void expect(String token) {
    require(take(token), token, peek());
  }

  private static void require(boolean good, String expected, String found) {
    if (!good) {
      throw new AssertionError(found + " (expected: " + expected + ")");
    }
  }
}
