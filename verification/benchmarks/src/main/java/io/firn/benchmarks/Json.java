package io.firn.benchmarks;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** An object of JSON, of texts, numbers, objects, and lists of those. */
record Json(Map<String, Object> members) {

  private static final JsonFactory FACTORY = new JsonFactory();
  private static final MathContext DIGITS = new MathContext(6);

  /** Returns an object without members. */
  static Json object() {
    return new Json(new LinkedHashMap<>());
  }

  Json with(String name, Object value) {
    members.put(name, value);
    return this;
  }

  /** Adds a number of six significant digits; leaves it out if it is none, or infinite. */
  Json withNumber(String name, double value) {
    return Double.isFinite(value) ? with(name, value) : this;
  }

  String text(String name) {
    return member(name, String.class, "a text");
  }

  double number(String name) {
    return member(name, Double.class, "a number");
  }

  OptionalDouble optionalNumber(String name) {
    return members.containsKey(name) ? OptionalDouble.of(number(name)) : OptionalDouble.empty();
  }

  Json object(String name) {
    return member(name, Json.class, "an object");
  }

  List<Json> objects(String name) {
    List<Json> objects = new ArrayList<>();
    for (Object element : member(name, List.class, "a list of objects")) {
      if (!(element instanceof Json object)) {
        throw new IllegalArgumentException(name + ": " + element + " (expected: objects)");
      }
      objects.add(object);
    }
    return objects;
  }

  List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    for (Object element : member(name, List.class, "a list of texts")) {
      texts.add(element.toString());
    }
    return texts;
  }

  private <T> T member(String name, Class<T> type, String expected) {
    Object value = members.get(name);
    if (!type.isInstance(value)) {
      throw new IllegalArgumentException(
          name + ": " + (value == null ? "absent" : value) + " (expected: " + expected + ")");
    }
    return type.cast(value);
  }

  /** Reads an object. */
  static Json parse(String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        Json object = readObject(parser);
        if (parser.nextToken() == null) {
          return object;
        }
      }
      throw new IllegalArgumentException("JSON: something else (expected: one object)");
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "JSON: not readable, line "
              + e.getLocation().getLineNr()
              + ": "
              + e.getOriginalMessage()
              + " (expected: a run that --json wrote)",
          e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Json readObject(JsonParser parser) throws IOException {
    Json object = object();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      object.with(name, readValue(parser));
    }
    return object;
  }

  private static Object readValue(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> readObject(parser);
      case START_ARRAY -> {
        List<Object> list = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          list.add(readValue(parser));
        }
        yield list;
      }
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_STRING -> parser.getText();
      default ->
          throw new IllegalArgumentException(
              "JSON: " + parser.getText() + " (expected: a text, a number, an object or a list)");
    };
  }

  /** Returns the object as text; what has only texts and numbers is one line. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    write(this, "", text);
    return text.append('\n').toString();
  }

  private static void write(Object value, String indent, StringBuilder text) {
    if (value instanceof Json object) {
      boolean flat =
          object.members.values().stream()
              .noneMatch(member -> member instanceof Json || member instanceof List);
      List<String> members = new ArrayList<>();
      object.members.forEach(
          (name, member) -> {
            StringBuilder each = new StringBuilder(quoted(name)).append(": ");
            write(member, indent + "  ", each);
            members.add(each.toString());
          });
      write(members, flat, "{}", indent, text);
    } else if (value instanceof List<?> list) {
      List<String> elements = new ArrayList<>();
      for (Object element : list) {
        StringBuilder each = new StringBuilder();
        write(element, indent + "  ", each);
        elements.add(each.toString());
      }
      write(elements, false, "[]", indent, text);
    } else if (value instanceof Number number) {
      text.append(number(number.doubleValue()));
    } else {
      text.append(quoted(value.toString()));
    }
  }

  private static void write(
      List<String> parts, boolean flat, String brackets, String indent, StringBuilder text) {
    String before = flat || parts.isEmpty() ? "" : "\n  " + indent;
    text.append(brackets.charAt(0))
        .append(before)
        .append(String.join(flat ? ", " : "," + before, parts))
        .append(flat || parts.isEmpty() ? "" : "\n" + indent)
        .append(brackets.charAt(1));
  }

  private static String number(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    return new BigDecimal(value).round(DIGITS).stripTrailingZeros().toPlainString();
  }

  private static String quoted(String text) {
    StringWriter out = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(out)) {
      generator.writeString(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString();
  }
}
