package io.firn.spring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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

/**
 * Shows the property that an unknown one under {@code firn.} is similar to, and the properties that
 * have an empty value or are hidden by one: those are unbound too, as Boot reads no value from an
 * empty text.
 */
@Order(Ordered.HIGHEST_PRECEDENCE) // before Boot's own, which names no other property
final class UnknownPropertyAnalyzer
    extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

  /** A list of names there is unbound too where no other property of a namespace is bound. */
  private static final String NAMES = "firn.namespaces";

  private static final String WORD = "([^.\\[]+)(.*)";

  private static final Pattern OF_A_NAMESPACE =
      Pattern.compile("(firn\\.namespaces(?:\\.[^.\\[]+|\\[[^]]+])\\.)" + WORD);

  private static final Pattern OF_ALL = Pattern.compile("(firn\\.)" + WORD);

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable rootFailure, UnboundConfigurationPropertiesException unbound) {
    List<String> descriptions = new ArrayList<>();
    Set<String> actions = new TreeSet<>();
    for (ConfigurationProperty property : unbound.getUnboundProperties()) {
      String name = property.getName().toString();
      if (!name.startsWith("firn.") || name.equals(NAMES)) {
        continue;
      }
      if (!isKnown(name)) {
        descriptions.add(unknown(property));
        actions.add("Correct the name of the property, or remove the property.");
      } else if (String.valueOf(property.getValue()).isEmpty()) {
        descriptions.add(empty(property));
        actions.add("Set a value, or remove the property.");
      } else {
        descriptions.add(hidden(property));
        actions.add("Remove the empty property.");
      }
    }
    return descriptions.isEmpty()
        ? null
        : new FailureAnalysis(String.join("\n", descriptions), String.join(" ", actions), unbound);
  }

  private static String empty(ConfigurationProperty property) {
    return property.getName() + ": ''" + origin(property) + " (expected: a value, or not set)";
  }

  /** An empty namespace in another source, as of {@code orders:} in YAML, hides its settings. */
  private static String hidden(ConfigurationProperty property) {
    return property.getName()
        + ": "
        + property.getValue()
        + origin(property)
        + " (expected: no empty "
        + property.getName().getParent()
        + " in another source, which hides it)";
  }

  private static String unknown(ConfigurationProperty property) {
    String name = property.getName().toString();
    return name + ": not a property" + origin(property) + " (expected: " + expected(name) + ")";
  }

  private static String origin(ConfigurationProperty property) {
    return property.getOrigin() == null ? "" : ", at " + property.getOrigin();
  }

  /**
   * Returns whether there is such a property. Boot left it unbound because its value is empty, or
   * the namespace is in another source.
   */
  private static boolean isKnown(String name) {
    Matcher inner = OF_A_NAMESPACE.matcher(name);
    if (inner.matches()) {
      return inner.group(3).isEmpty() && isOf(FirnProperties.Namespace.class, inner.group(2));
    }
    Matcher outer = OF_ALL.matcher(name);
    return outer.matches()
        && outer.group(3).isEmpty()
        && isOf(FirnProperties.class, outer.group(2));
  }

  private static boolean isOf(Class<?> properties, String word) {
    return Arrays.stream(properties.getRecordComponents())
        .anyMatch(component -> component.getName().equalsIgnoreCase(word.replace("-", "")));
  }

  private static String expected(String name) {
    Matcher inner = OF_A_NAMESPACE.matcher(name);
    if (inner.matches()) {
      return nearest(inner.group(2), FirnProperties.Namespace.class)
          .map(near -> inner.group(1) + near)
          .orElseGet(() -> inner.group(1) + all(FirnProperties.Namespace.class));
    }
    Matcher outer = OF_ALL.matcher(name);
    if (!outer.matches()) {
      return "firn." + all(FirnProperties.class);
    }
    String word = outer.group(2);
    return nearest(word, FirnProperties.class)
        .map(near -> "firn." + near + (near.equals("namespaces") ? outer.group(3) : ""))
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
