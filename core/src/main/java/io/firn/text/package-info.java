/** IDs as text. */
@NullMarked
package io.firn.text;

import org.jspecify.annotations.NullMarked;
