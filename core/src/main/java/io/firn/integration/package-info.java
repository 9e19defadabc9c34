/** Shared code of Firn's own integrations, server and command line. Exported to them only. */
@NullMarked
package io.firn.integration;

import org.jspecify.annotations.NullMarked;
