package io.firn.server.config;

/** The settings of the IDs of a namespace. */
public sealed interface NamespaceConfig permits SnowflakeConfig, SegmentConfig {}
