package io.firn.mybatis;

import io.firn.integration.AttributeIds;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a field that {@link IssuedIds} fills with an ID before its object is inserted, unless it is
 * set (neither null nor 0 nor empty): a {@code long} or {@link Long} with a 64-bit ID, a {@link
 * String} with its text, a {@link java.util.UUID} with one of version 7, a {@link
 * io.firn.wide.Ulid} and an {@link io.firn.wide.ObjectId} with one of theirs.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface FirnId {

  /** Returns the name of the generator; the default one if empty. */
  String value() default "";

  /**
   * Returns how a {@link String} is written: the name of an {@link io.firn.text.IdFormat}, or
   * {@code uuid7}, {@code ulid} or {@code objectid} for one of those instead of a 64-bit ID.
   */
  String format() default AttributeIds.DECIMAL;
}
