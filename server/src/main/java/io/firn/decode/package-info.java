/** The possible readings of an ID of unknown origin. */
@NullMarked
package io.firn.decode;

import org.jspecify.annotations.NullMarked;
