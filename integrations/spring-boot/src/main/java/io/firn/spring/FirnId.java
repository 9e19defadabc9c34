package io.firn.spring;

import io.firn.integration.AttributeIds;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes Spring Data JDBC assign an ID to a property that has none ({@code null} or 0), before the
 * aggregate is written: of its root, of the entities in it, and of those in them. The property is a
 * {@code long}, a {@code Long} or, for decimal text, a {@code String}; it need not be the
 * {@code @Id}.
 *
 * <pre>{@code
 * record Order(@Id @FirnId("orders") Long id, List<Line> lines) {}
 *
 * record Line(@Id @FirnId("lines") Long id, String product) {}
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface FirnId {

  /**
   * Returns the namespace whose generator issues it; the generator that is injected by type unless
   * set.
   */
  String value() default "";

  /** Returns how an ID is written where the property is text; see {@link AttributeIds#of}. */
  String format() default AttributeIds.DECIMAL;
}
