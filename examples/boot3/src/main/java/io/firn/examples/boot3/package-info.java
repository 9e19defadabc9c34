/** Invoices on Spring Boot 3.5. */
@NullMarked
package io.firn.examples.boot3;

import org.jspecify.annotations.NullMarked;
