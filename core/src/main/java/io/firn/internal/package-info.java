/** What core's packages share and do not export. */
@NullMarked
package io.firn.internal;

import org.jspecify.annotations.NullMarked;
