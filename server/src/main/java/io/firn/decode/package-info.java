/** What an ID may be that somebody pastes. */
@NullMarked
package io.firn.decode;

import org.jspecify.annotations.NullMarked;
