package io.firn.jackson;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonFormat;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Writes an ID as a string, and reads both strings and numbers: JavaScript rounds a number past
 * 2^53. For a {@code long}, a {@code Long}, or a collection or map of them; always a string,
 * however small the ID, so that clients see one type.
 *
 * <pre>{@code
 * record Order(@IdAsString long id, int quantity) {}
 *
 * {"id":"117610173326504099","quantity":3}
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.ANNOTATION_TYPE, ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER})
@JacksonAnnotationsInside
@JsonFormat(shape = JsonFormat.Shape.STRING)
public @interface IdAsString {}
