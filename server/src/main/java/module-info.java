/** The server of Firn. */
@SuppressWarnings("requires-automatic") // Micrometer and Prometheus are no modules yet
module io.firn.server {
  requires io.firn.core;
  requires io.firn.jdbc;
  requires io.firn.micrometer;
  requires io.firn.zookeeper;
  requires com.fasterxml.jackson.core;
  requires info.picocli;
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.codec.http;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.unix.common;
  requires io.prometheus.metrics.model;
  requires java.logging;
  requires java.net.http;
  requires jdk.management;
  requires lettuce.core;
  requires micrometer.core;
  requires micrometer.registry.otlp;
  requires micrometer.registry.prometheus;
  requires org.yaml.snakeyaml;
  requires jdk.unsupported;
  requires static org.jspecify;

  opens io.firn.cli to
      info.picocli;
}
