package io.firn.decode;

import io.firn.text.IdFormat;
import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** ULID, ObjectId, KSUID and xid, each told by its length and its characters. */
final class WideForms {

  private static final Pattern ULID = Pattern.compile("[0-7][0-9A-Za-z&&[^Uu]]{25}");
  private static final Pattern OBJECT_ID = Pattern.compile("[0-9A-Fa-f]{24}");
  private static final Pattern KSUID = Pattern.compile("[0-9A-Za-z]{27}");

  /** The last character has one bit of the twelve bytes. */
  private static final Pattern XID = Pattern.compile("[0-9a-v]{19}[0g]");

  private static final int KSUID_BYTES = 20;
  private static final Instant KSUID_EPOCH = Instant.ofEpochSecond(1_400_000_000);
  private static final int XID_PADDING_BITS = 4;

  private final Instant now;

  WideForms(Instant now) {
    this.now = now;
  }

  Stream<WideReading> of(String text) {
    return Stream.of(ulid(text), objectId(text), ksuid(text), xid(text)).flatMap(Optional::stream);
  }

  private Optional<WideReading> ulid(String text) {
    if (!ULID.matcher(text).matches()) {
      return Optional.empty();
    }
    Ulid ulid = Ulid.parse(text);
    Evidence evidence = new Evidence(now).add(true, 0, "26 characters of base 32");
    evidence.time(ulid.instant(), Instant.EPOCH, Duration.ofMillis(1)).any(80);
    Map<String, String> fields = Map.of("random", hex(ulid.toBytes()).substring(12));
    return reading(ulid.toString(), "ulid", "ULID", ulid.instant(), fields, evidence);
  }

  private Optional<WideReading> objectId(String text) {
    if (!OBJECT_ID.matcher(text).matches()) {
      return Optional.empty();
    }
    ObjectId id = ObjectId.parse(text);
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("random", id.toString().substring(8, 18));
    fields.put("counter", Integer.toString(id.counter()));
    Evidence evidence = seconds("24 hexadecimal digits", id.instant(), Instant.EPOCH).any(64);
    return reading(id.toString(), "objectid", "MongoDB ObjectId", id.instant(), fields, evidence);
  }

  private Optional<WideReading> ksuid(String text) {
    if (!KSUID.matcher(text).matches()) {
      return Optional.empty();
    }
    BigInteger number = base62(text);
    if (number.bitLength() > KSUID_BYTES * Byte.SIZE) {
      return Optional.empty();
    }
    byte[] bytes = bytes(number, KSUID_BYTES);
    Instant instant = KSUID_EPOCH.plusSeconds(unsigned(bytes, 0, 4));
    Map<String, String> fields = Map.of("payload", hex(bytes).substring(8));
    Evidence evidence = seconds("27 characters of base 62", instant, KSUID_EPOCH).any(128);
    return reading(text, "ksuid", "KSUID", instant, fields, evidence);
  }

  private Optional<WideReading> xid(String text) {
    if (!XID.matcher(text).matches()) {
      return Optional.empty();
    }
    byte[] bytes = bytes(new BigInteger(text, 32).shiftRight(XID_PADDING_BITS), 12);
    Instant instant = Instant.ofEpochSecond(unsigned(bytes, 0, 4));
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("machine", hex(bytes).substring(8, 14));
    fields.put("pid", Long.toString(unsigned(bytes, 7, 9)));
    fields.put("counter", Long.toString(unsigned(bytes, 9, 12)));
    Evidence evidence = seconds("20 characters of base 32", instant, Instant.EPOCH).any(64);
    return reading(text, "xid", "xid", instant, fields, evidence);
  }

  private Evidence seconds(String form, Instant instant, Instant since) {
    return new Evidence(now).add(true, 0, form).time(instant, since, Duration.ofSeconds(1));
  }

  private static BigInteger base62(String text) {
    BigInteger base = BigInteger.valueOf(IdFormat.BASE62.base());
    BigInteger number = BigInteger.ZERO;
    for (int i = 0; i < text.length(); i++) {
      int value = IdFormat.BASE62.value(text.charAt(i));
      number = number.multiply(base).add(BigInteger.valueOf(value));
    }
    return number;
  }

  /** So many bytes, the highest first. */
  private static byte[] bytes(BigInteger number, int length) {
    byte[] digits = number.toByteArray();
    byte[] bytes = new byte[length];
    int used = Math.min(digits.length, length);
    System.arraycopy(digits, digits.length - used, bytes, length - used, used);
    return bytes;
  }

  private static long unsigned(byte[] bytes, int from, int to) {
    return new BigInteger(1, Arrays.copyOfRange(bytes, from, to)).longValueExact();
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static Optional<WideReading> reading(
      String id,
      String type,
      String title,
      Instant instant,
      Map<String, String> fields,
      Evidence evidence) {
    return Optional.of(
        new WideReading(
            id,
            type,
            type,
            title,
            Optional.of(instant),
            fields,
            true,
            evidence.score(),
            evidence.reasons()));
  }
}
