package io.firn.hibernate;

import io.firn.integration.AttributeIds;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.hibernate.annotations.IdGeneratorType;
import org.hibernate.annotations.ValueGenerationType;

/**
 * Fills an attribute with an ID when its entity is inserted, beside {@code @Id} or on any other
 * attribute, except in an embeddable of an element collection: Hibernate runs no generators there.
 * One that the caller has set (neither null nor 0 nor empty) is kept.
 *
 * <p>A {@code long} or {@link Long} gets a 64-bit ID, a {@link String} its text. A {@link
 * java.util.UUID} gets one of version 7, a {@link io.firn.wide.Ulid} and an {@link
 * io.firn.wide.ObjectId} one of theirs; these need no generator, and the latter two are kept as
 * text.
 *
 * <p>64-bit IDs come from a generator that is found in the settings of the session factory:
 *
 * <table>
 *   <caption>Settings</caption>
 *   <tr><td>{@code firn.generator}<td>the {@link io.firn.IdGenerator} itself
 *   <tr><td>{@code firn.generators.NAME}<td>the one of that name
 *   <tr><td>{@code firn.store}<td>where there is none of these: the {@linkplain
 *       io.firn.store.RegisterStore#open address} of a store, to lease a worker ID from
 *   <tr><td>{@code firn.namespace}<td>in which namespace, unless the generator has a name: then it
 *       is that
 *   <tr><td>{@code firn.layout}, {@code firn.namespaces.NAME.layout}<td>the layout, {@code classic}
 *       unless given
 *   <tr><td>{@code firn.SETTING}, {@code firn.namespaces.NAME.SETTING}<td>each other setting of a
 *       generator, such as {@code max-lead}, by its name in the configuration reference
 * </table>
 *
 * The worker ID is leased when the first ID is asked for, and given back when the session factory
 * is closed.
 */
@IdGeneratorType(FirnIdGenerator.class)
@ValueGenerationType(generatedBy = FirnIdGenerator.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD})
public @interface FirnId {

  /**
   * Returns the name of the generator, or of the namespace where it is leased; the default one if
   * empty.
   */
  String value() default "";

  /**
   * Returns how a {@link String} is written: the name of an {@link io.firn.text.IdFormat}, or
   * {@code uuid7}, {@code ulid} or {@code objectid} for one of those instead of a 64-bit ID.
   */
  String format() default AttributeIds.DECIMAL;
}
