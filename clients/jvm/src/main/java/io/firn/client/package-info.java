/** An ID generator over Firn servers, which fetches ahead and fails over. */
@NullMarked
package io.firn.client;

import org.jspecify.annotations.NullMarked;
