package io.firn.server.metrics;

import io.firn.server.Traffic;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The times that answers took, as a histogram for each protocol. Micrometer's timers take one
 * request at a time; a pipeline is counted at once.
 */
final class RequestTimes implements Collector {

  private final Map<String, Traffic> traffic;

  RequestTimes(Map<String, Traffic> traffic) {
    this.traffic = traffic;
  }

  @Override
  public MetricSnapshot collect() {
    HistogramSnapshot.Builder histogram =
        HistogramSnapshot.builder()
            .name("firn_request_seconds")
            .help("Time from the moment a request was read to its answer, in seconds");
    traffic.forEach((protocol, each) -> histogram.dataPoint(dataPoint(protocol, each.times())));
    return histogram.build();
  }

  private static HistogramDataPointSnapshot dataPoint(String protocol, Traffic.Times times) {
    List<Double> bounds =
        Stream.concat(
                times.boundMicros().stream().map(RequestTimes::seconds),
                Stream.of(Double.POSITIVE_INFINITY))
            .toList();
    return HistogramDataPointSnapshot.builder()
        .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, times.counts()))
        .sum(times.sumNanos() / (double) TimeUnit.SECONDS.toNanos(1))
        .labels(Labels.of("protocol", protocol))
        .build();
  }

  private static double seconds(long micros) {
    return micros / (double) TimeUnit.SECONDS.toMicros(1);
  }
}
