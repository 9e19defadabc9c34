/** The check of files of IDs for duplicates, in bounded memory. */
@NullMarked
package io.firn.verify;

import org.jspecify.annotations.NullMarked;
