package io.firn.server.config;

/** How the IDs of a namespace are made. */
public sealed interface NamespaceConfig permits SnowflakeConfig, SegmentConfig {}
