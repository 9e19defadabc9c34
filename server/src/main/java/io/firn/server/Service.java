package io.firn.server;

import io.firn.server.config.ServerConfig;
import io.firn.time.TimeSource;
import java.util.Map;

/**
 * What every face works with.
 *
 * @param config what the server was told
 * @param namespaces what issues
 * @param access who may ask
 * @param traffic what came over each protocol that is served
 * @param time the clock
 */
public record Service(
    ServerConfig config,
    Namespaces namespaces,
    Access access,
    Map<String, Traffic> traffic,
    TimeSource time) {}
