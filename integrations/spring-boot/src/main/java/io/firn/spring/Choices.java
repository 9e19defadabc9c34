package io.firn.spring;

import io.firn.lease.AfterLoss;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.GenericConverter;

/** Reads {@code type: segment} and other choices. An error lists them. */
@ConfigurationPropertiesBinding
final class Choices implements GenericConverter {

  @Override
  public Set<ConvertiblePair> getConvertibleTypes() {
    return Set.of(
        new ConvertiblePair(String.class, FirnProperties.Type.class),
        new ConvertiblePair(String.class, AfterLoss.class));
  }

  @Override
  public @Nullable Object convert(
      @Nullable Object source, TypeDescriptor sourceType, TypeDescriptor targetType) {
    String text = String.valueOf(source).strip();
    Enum<?>[] choices =
        targetType.getType() == AfterLoss.class ? AfterLoss.values() : FirnProperties.Type.values();
    return Arrays.stream(choices)
        .filter(choice -> choice.toString().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    text
                        + " (expected: "
                        + Arrays.stream(choices)
                            .map(choice -> choice.toString().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(" or "))
                        + ")"));
  }
}
