package io.firn.spring;

import io.firn.ClockPolicy;
import io.firn.IdLayout;
import io.firn.SequenceStart;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ReflectionUtils;

/** Registers for a native image how properties become layouts and other settings. */
final class SettingHints implements RuntimeHintsRegistrar {

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    Stream.of(IdLayout.class, SequenceStart.class, ClockPolicy.class)
        .map(type -> ReflectionUtils.findMethod(type, "of", String.class))
        .map(Objects::requireNonNull)
        .forEach(of -> hints.reflection().registerMethod(of, ExecutableMode.INVOKE));
  }
}
