/** Parts that core's packages share. Exported to Firn's own modules only. */
@NullMarked
package io.firn.internal;

import org.jspecify.annotations.NullMarked;
