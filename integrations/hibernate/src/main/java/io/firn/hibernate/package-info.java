/** IDs for entities of Hibernate ORM: {@link io.firn.hibernate.FirnId}. */
@NullMarked
package io.firn.hibernate;

import org.jspecify.annotations.NullMarked;
