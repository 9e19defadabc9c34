package io.firn.cli;

import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;

/** Converts an argument by a function. {@link Cli} says why that is no lambda of Picocli's type. */
record Converter<T>(Function<String, T> function) implements ITypeConverter<T> {
  @Override
  public T convert(String argument) {
    return function.apply(argument);
  }
}
