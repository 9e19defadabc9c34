/** Generators as beans of Spring Boot. */
@NullMarked
package io.firn.spring;

import org.jspecify.annotations.NullMarked;
