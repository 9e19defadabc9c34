/**
 * Nothing of its own: this module brings what an application with Spring Data JPA needs, which is
 * the starter, the store in its database, and {@code @FirnId} for its entities.
 */
@NullMarked
package io.firn.spring.jpa;

import org.jspecify.annotations.NullMarked;
