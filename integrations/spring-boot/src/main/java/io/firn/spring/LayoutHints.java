package io.firn.spring;

import io.firn.IdLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ReflectionUtils;

/** Tells a native image how a property becomes a layout. */
final class LayoutHints implements RuntimeHintsRegistrar {

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    hints
        .reflection()
        .registerMethod(
            Objects.requireNonNull(ReflectionUtils.findMethod(IdLayout.class, "of", String.class)),
            ExecutableMode.INVOKE);
  }
}
