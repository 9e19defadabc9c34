package io.firn.spring;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.PropertyMatches;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Shows the property that an unknown one under {@code firn.} is similar to. */
@Order(Ordered.HIGHEST_PRECEDENCE) // before Boot's own, which names no other property
final class UnknownPropertyAnalyzer
    extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

  private static final String WORD = "([^.\\[]+)(.*)";

  private static final Pattern OF_A_NAMESPACE =
      Pattern.compile("(firn\\.namespaces(?:\\.[^.\\[]+|\\[[^]]+])\\.)" + WORD);

  private static final Pattern OF_ALL = Pattern.compile("(firn\\.)" + WORD);

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable rootFailure, UnboundConfigurationPropertiesException unbound) {
    String unknown =
        unbound.getUnboundProperties().stream()
            .filter(property -> property.getName().toString().startsWith("firn."))
            .map(UnknownPropertyAnalyzer::describe)
            .collect(Collectors.joining("\n"));
    return unknown.isEmpty()
        ? null
        : new FailureAnalysis(
            unknown, "Correct the name of the property, or remove the property.", unbound);
  }

  private static String describe(ConfigurationProperty property) {
    String name = property.getName().toString();
    return name
        + ": not a property"
        + (property.getOrigin() == null ? "" : ", at " + property.getOrigin())
        + " (expected: "
        + expected(name)
        + ")";
  }

  private static String expected(String name) {
    Matcher inner = OF_A_NAMESPACE.matcher(name);
    if (inner.matches()) {
      return nearest(inner.group(2), FirnProperties.Namespace.class)
          .map(near -> inner.group(1) + near + inner.group(3))
          .orElseGet(() -> inner.group(1) + all(FirnProperties.Namespace.class));
    }
    Matcher outer = OF_ALL.matcher(name);
    if (!outer.matches()) {
      return "firn." + all(FirnProperties.class);
    }
    String word = outer.group(2);
    return nearest(word, FirnProperties.class)
        .map(near -> "firn." + near + outer.group(3))
        .or(
            () ->
                nearest(word, FirnProperties.Namespace.class)
                    .map(near -> "firn.namespaces.NAME." + near))
        .orElseGet(() -> "firn." + all(FirnProperties.class));
  }

  private static Optional<String> nearest(String word, Class<?> properties) {
    String component =
        Pattern.compile("-(.)").matcher(word).replaceAll(UnknownPropertyAnalyzer::upper);
    return Arrays.stream(PropertyMatches.forField(component, properties).getPossibleMatches())
        .findFirst()
        .map(UnknownPropertyAnalyzer::dashed);
  }

  private static String upper(MatchResult letter) {
    return letter.group(1).toUpperCase(Locale.ROOT);
  }

  private static String all(Class<?> properties) {
    return Arrays.stream(properties.getRecordComponents())
        .map(component -> dashed(component.getName()))
        .collect(Collectors.joining(", "));
  }

  private static String dashed(String component) {
    return component.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }
}
