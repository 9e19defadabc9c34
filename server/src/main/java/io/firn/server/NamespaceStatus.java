package io.firn.server;

import io.firn.IdLayout;
import io.firn.server.config.NamespaceConfig;
import java.util.Optional;

/** A namespace of this server at one moment. */
public sealed interface NamespaceStatus permits SnowflakeStatus, SegmentStatus, PendingStatus {

  /** Returns the name of the namespace. */
  String name();

  /** Returns the settings of the namespace. */
  NamespaceConfig config();

  /** Returns the layout of the IDs that it issues now; empty if it counts. */
  Optional<IdLayout> idLayout();

  /** Returns why the namespace issues nothing now; empty if it issues. */
  Optional<String> outage();
}
