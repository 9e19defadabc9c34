/** HTTP: IDs as text and JSON, and what operators and browsers ask for. */
@NullMarked
package io.firn.server.http;

import org.jspecify.annotations.NullMarked;
