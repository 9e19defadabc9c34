package io.firn.spring;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.core.convert.converter.Converter;
import org.springframework.util.StringUtils;

/** Reads {@code firn.namespaces: orders, items}: namespaces with default settings. */
@ConfigurationPropertiesBinding
final class NamespaceNames implements Converter<String, Map<String, FirnProperties.Namespace>> {

  @Override
  public Map<String, FirnProperties.Namespace> convert(String names) {
    return of(names).stream()
        .collect(
            Collectors.toMap(
                name -> name,
                name -> FirnProperties.Namespace.UNSET,
                (first, same) -> first,
                LinkedHashMap::new));
  }

  /** Returns the names of a list without blanks around them. */
  static Set<String> of(String names) {
    return Arrays.stream(StringUtils.commaDelimitedListToStringArray(names))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Reads {@code firn.namespaces.orders:} without a value: a namespace with default settings. */
  @ConfigurationPropertiesBinding
  static final class NoSettings implements Converter<String, FirnProperties.Namespace> {

    @Override
    public FirnProperties.Namespace convert(String text) {
      if (text.isBlank()) {
        return FirnProperties.Namespace.UNSET;
      }
      throw new IllegalArgumentException(
          text
              + " (expected: settings such as 'layout: classic', or nothing for the default"
              + " settings; a list of names is written 'namespaces: orders, items')");
    }
  }
}
