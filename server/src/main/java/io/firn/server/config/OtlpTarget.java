package io.firn.server.config;

import java.time.Duration;

/**
 * The target of metrics by OTLP.
 *
 * @param url the address of the collector
 * @param period how often
 */
public record OtlpTarget(String url, Duration period) {}
