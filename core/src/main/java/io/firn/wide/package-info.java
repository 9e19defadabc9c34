/** IDs wider than 64 bits: UUID v4 and v7, ULID, MongoDB's ObjectId. */
@NullMarked
package io.firn.wide;

import org.jspecify.annotations.NullMarked;
