/** A shop on Spring Boot 4. */
@NullMarked
package io.firn.examples.boot4;

import org.jspecify.annotations.NullMarked;
