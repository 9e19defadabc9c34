package io.firn.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * A state that meters read.
 *
 * @param namespace the value of the tag {@code namespace}
 * @param owner the object that has the state; a registry refers to it weakly
 * @param state returns the state, empty as long as there is none
 */
record MeterSource<S, T>(String namespace, S owner, Function<S, Optional<T>> state) {

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  FunctionCounter.Builder<S> counter(String name, String description, ToDoubleFunction<T> count) {
    return FunctionCounter.builder(name, owner, value(count, 0))
        .description(description)
        .tag("namespace", namespace);
  }

  FunctionCounter.Builder<S> issued(ToDoubleFunction<T> count) {
    return counter("firn.issued", "IDs that were issued", count).baseUnit("ids");
  }

  Gauge.Builder<S> gauge(String name, String description, ToDoubleFunction<T> value) {
    return Gauge.builder(name, owner, value(value, Double.NaN))
        .description(description)
        .tag("namespace", namespace);
  }

  Gauge.Builder<S> seconds(String name, String description, Function<T, Duration> span) {
    return gauge(name, description, now -> seconds(span.apply(now))).baseUnit("seconds");
  }

  private ToDoubleFunction<S> value(ToDoubleFunction<T> value, double none) {
    return from -> state.apply(from).map(value::applyAsDouble).orElse(none);
  }

  private static double seconds(Duration span) {
    return span.getSeconds() + span.getNano() / NANOS;
  }
}
