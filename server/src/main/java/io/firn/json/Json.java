package io.firn.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.firn.internal.IsoTime;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Objects on one line, with IDs as strings, so that JavaScript keeps them, and instants in ISO 8601
 * with milliseconds.
 */
public final class Json {

  private static final JsonFactory FACTORY = new JsonFactory();

  private final JsonGenerator to;

  private Json(JsonGenerator to) {
    this.to = to;
  }

  /** Writes the members of an object, or the elements of an array. */
  @FunctionalInterface
  public interface Content {
    /** Writes all of it. */
    void write(Json json) throws IOException;
  }

  /** Writes the members of the object that stands for a value. */
  @FunctionalInterface
  public interface Members<T> {
    /** Writes all of them. */
    void write(Json json, T value) throws IOException;
  }

  /** Returns an object, without a line's end. */
  public static String object(Content content) {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(text)) {
      Json json = new Json(generator);
      generator.writeStartObject();
      content.write(json);
      generator.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  /** Adds members that are texts, numbers, booleans or null. */
  public Json members(Map<String, @Nullable Object> values) throws IOException {
    for (Map.Entry<String, @Nullable Object> each : values.entrySet()) {
      to.writeObjectField(each.getKey(), each.getValue());
    }
    return this;
  }

  /** Adds a member that is text. */
  public Json text(String name, String value) throws IOException {
    to.writeStringField(name, value);
    return this;
  }

  /** Adds a member that is a number, and never an ID. */
  public Json number(String name, long value) throws IOException {
    to.writeNumberField(name, value);
    return this;
  }

  /** Adds a member that is text, or null. */
  public Json text(String name, Optional<String> value) throws IOException {
    return value.isPresent() ? text(name, value.get()) : none(name);
  }

  /** Adds a member that is a time span in whole milliseconds, or null. */
  public Json millis(String name, Optional<Duration> value) throws IOException {
    return value.isPresent() ? number(name, value.get().toMillis()) : none(name);
  }

  /** Adds a member that is true or false. */
  public Json flag(String name, boolean value) throws IOException {
    to.writeBooleanField(name, value);
    return this;
  }

  /** Adds a member that is an ID. */
  public Json id(String name, long id) throws IOException {
    return text(name, Long.toUnsignedString(id));
  }

  /** Adds a member that is an instant. */
  public Json time(String name, Instant value) throws IOException {
    return text(name, IsoTime.utc(value));
  }

  /** Adds a member that is an instant, or null. */
  public Json time(String name, Optional<Instant> value) throws IOException {
    return value.isPresent() ? time(name, value.get()) : none(name);
  }

  /** Marks a member that is missing from its place. */
  public Json none(String name) throws IOException {
    to.writeNullField(name);
    return this;
  }

  /** Adds a member that is an object. */
  public Json object(String name, Content content) throws IOException {
    to.writeObjectFieldStart(name);
    content.write(this);
    to.writeEndObject();
    return this;
  }

  /** Adds a member that is an object, or null. */
  public <T> Json object(String name, Optional<T> value, Members<T> members) throws IOException {
    return value.isPresent()
        ? object(name, object -> members.write(object, value.get()))
        : none(name);
  }

  /** Adds a member that is an array of objects. */
  public <T> Json array(String name, Iterable<T> values, Members<T> members) throws IOException {
    to.writeArrayFieldStart(name);
    for (T value : values) {
      element(object -> members.write(object, value));
    }
    to.writeEndArray();
    return this;
  }

  /** Adds a member that is an array; its elements are written by {@link #element}. */
  public Json array(String name, Content content) throws IOException {
    to.writeArrayFieldStart(name);
    content.write(this);
    to.writeEndArray();
    return this;
  }

  /** Adds an element that is text. */
  public Json element(String value) throws IOException {
    to.writeString(value);
    return this;
  }

  /** Adds an element that is an object. */
  public Json element(Content content) throws IOException {
    to.writeStartObject();
    content.write(this);
    to.writeEndObject();
    return this;
  }
}
