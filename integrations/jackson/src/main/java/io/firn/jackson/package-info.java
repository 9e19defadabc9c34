/** IDs in JSON. */
@NullMarked
package io.firn.jackson;

import org.jspecify.annotations.NullMarked;
