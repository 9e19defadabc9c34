/** Processes that issue IDs from real stores while the stores and the processes fail. */
@NullMarked
package io.firn.faults;

import org.jspecify.annotations.NullMarked;
