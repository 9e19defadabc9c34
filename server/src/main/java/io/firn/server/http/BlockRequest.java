package io.firn.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.firn.block.BlockName;
import io.firn.block.IdBlocks;
import io.firn.server.RequestException;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The body of a request for a block.
 *
 * @param count how many IDs
 * @param begin the time of the first ID; empty for now
 * @param name the name of the block; empty for one that is never given again
 */
record BlockRequest(long count, Optional<Instant> begin, Optional<BlockName> name) {

  private static final JsonFactory FACTORY = new JsonFactory();
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  /** The members of the object. */
  private enum Member {
    COUNT,
    BEGIN,
    JOB,
    SHAPE,
    PARTITION,
    PAGE;

    private static final String ALL =
        Arrays.stream(values()).map(Member::label).collect(Collectors.joining(", "));

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Member of(String label) {
      return Arrays.stream(values())
          .filter(member -> member.label().equals(label))
          .findFirst()
          .orElseThrow(() -> badRequest("member: " + label + " (expected: one of " + ALL + ")"));
    }
  }

  /**
   * Reads a body.
   *
   * @throws RequestException if it is no object of these members, or one is missing or out of range
   */
  static BlockRequest parse(byte[] body) {
    Map<Member, String> members = members(body);
    long count = number(members, Member.COUNT, 1, IdBlocks.MAX_SIZE);
    if (members.size() == 1) {
      return new BlockRequest(count, Optional.empty(), Optional.empty());
    }
    if (members.containsKey(Member.BEGIN)) {
      Instant begin = instant(text(members, Member.BEGIN));
      if (members.size() > 2) {
        throw badRequest(
            "begin: "
                + begin
                + " (expected: none for a named block, which begins when it is made)");
      }
      return new BlockRequest(count, Optional.of(begin), Optional.empty());
    }
    BlockName name =
        RequestException.read(
            () ->
                new BlockName(
                    text(members, Member.JOB),
                    text(members, Member.SHAPE),
                    (int) number(members, Member.PARTITION, 0, Integer.MAX_VALUE),
                    (int) number(members, Member.PAGE, 0, BlockName.MAX_PAGE)));
    return new BlockRequest(count, Optional.empty(), Optional.of(name));
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw badRequest("begin: " + text + " (expected: an instant, as 2026-11-01T00:00:00Z)");
    }
  }

  private static Map<Member, String> members(byte[] body) {
    Map<Member, String> members = new EnumMap<>(Member.class);
    try (JsonParser json = FACTORY.createParser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw noObject();
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        Member member = Member.of(json.currentName());
        JsonToken value = json.nextToken();
        if (value != JsonToken.VALUE_STRING && value != JsonToken.VALUE_NUMBER_INT) {
          throw badRequest(
              member.label() + ": " + json.getText() + " (expected: a string or an integer)");
        }
        if (members.put(member, json.getText()) != null) {
          throw badRequest(member.label() + ": given twice (expected: once)");
        }
      }
      if (json.nextToken() != null) {
        throw noObject();
      }
    } catch (IOException e) {
      throw noObject();
    }
    return members;
  }

  private static RequestException noObject() {
    return badRequest("body: not understood (expected: a JSON object with " + Member.ALL + ")");
  }

  private static long number(Map<Member, String> members, Member member, long least, long most) {
    String text = text(members, member);
    long number = NUMBER.matcher(text).matches() ? Long.parseLong(text) : -1;
    if (number < least || number > most) {
      throw badRequest(member.label() + ": " + text + " (expected: " + least + ".." + most + ")");
    }
    return number;
  }

  private static String text(Map<Member, String> members, Member member) {
    String text = members.get(member);
    if (text == null) {
      String rule = member == Member.COUNT ? "how many IDs" : "all of job, shape, partition, page";
      throw badRequest(member.label() + ": missing (expected: " + rule + ")");
    }
    return text;
  }

  private static RequestException badRequest(String message) {
    return new RequestException(RequestException.Kind.BAD_REQUEST, message);
  }
}
