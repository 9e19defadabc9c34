package io.firn.decode;

import io.firn.text.IdFormat;
import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** ULID, ObjectId, KSUID and xid, each recognized by its length and its characters. */
final class WideForms {

  private static final Pattern ULID = Pattern.compile("[0-7][0-9A-Za-z&&[^Uu]]{25}");
  private static final Pattern OBJECT_ID = Pattern.compile("[0-9A-Fa-f]{24}");
  private static final Pattern KSUID = Pattern.compile("[0-9A-Za-z]{27}");

  /** The last character has one bit of the twelve bytes. */
  private static final Pattern XID = Pattern.compile("[0-9a-v]{19}[0g]");

  private static final int KSUID_BITS = 160;
  private static final int KSUID_PAYLOAD_BITS = 128;
  private static final Instant KSUID_EPOCH = Instant.ofEpochSecond(1_400_000_000);
  private static final int XID_BITS = 96;
  private static final int XID_PADDING_BITS = 4;

  /** Until then drivers hashed the machine into 3 bytes, and wrote the process into 2. */
  private static final Instant OBJECT_ID_RANDOM = Instant.parse("2018-01-01T00:00:00Z");

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
    Bits bits = new Bits(ulid.toBytes()).time(48, Instant::ofEpochMilli).hex("random", 80);
    return reading(ulid.toString(), "ulid", "ULID", ulid.instant(), bits, evidence);
  }

  private Optional<WideReading> objectId(String text) {
    if (!OBJECT_ID.matcher(text).matches()) {
      return Optional.empty();
    }
    ObjectId id = ObjectId.parse(text);
    Evidence evidence = seconds("24 hexadecimal digits", id.instant(), Instant.EPOCH).any(64);
    Bits bits = new Bits(id.toBytes()).time(32, Instant::ofEpochSecond);
    if (id.instant().isBefore(OBJECT_ID_RANDOM)) {
      evidence.add(true, 0, "from before 2018, when drivers wrote machine and process");
      bits.hex("machine", 24).number("process", 16);
    } else {
      bits.hex("random", 40);
    }
    bits.number("counter", 24);
    return reading(id.toString(), "objectid", "MongoDB ObjectId", id.instant(), bits, evidence);
  }

  private Optional<WideReading> ksuid(String text) {
    if (!KSUID.matcher(text).matches()) {
      return Optional.empty();
    }
    BigInteger number = base62(text);
    if (number.bitLength() > KSUID_BITS) {
      return Optional.empty();
    }
    Instant instant = ksuidTime(number.shiftRight(KSUID_PAYLOAD_BITS).longValueExact());
    Evidence evidence = seconds("27 characters of base 62", instant, KSUID_EPOCH).any(128);
    Bits bits =
        new Bits(number, KSUID_BITS)
            .time(32, WideForms::ksuidTime)
            .hex("payload", KSUID_PAYLOAD_BITS);
    return reading(text, "ksuid", "KSUID", instant, bits, evidence);
  }

  private static Instant ksuidTime(long seconds) {
    return KSUID_EPOCH.plusSeconds(seconds);
  }

  private Optional<WideReading> xid(String text) {
    if (!XID.matcher(text).matches()) {
      return Optional.empty();
    }
    BigInteger number = new BigInteger(text, 32).shiftRight(XID_PADDING_BITS);
    Instant instant = Instant.ofEpochSecond(number.shiftRight(XID_BITS - 32).longValueExact());
    Evidence evidence = seconds("20 characters of base 32", instant, Instant.EPOCH).any(64);
    Bits bits =
        new Bits(number, XID_BITS)
            .time(32, Instant::ofEpochSecond)
            .hex("machine", 24)
            .number("pid", 16)
            .number("counter", 24);
    return reading(text, "xid", "xid", instant, bits, evidence);
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

  private static Optional<WideReading> reading(
      String id, String type, String title, Instant instant, Bits bits, Evidence evidence) {
    return Optional.of(
        new WideReading(
            id,
            type,
            type,
            title,
            Optional.of(instant),
            bits.binary(),
            bits.fields(),
            evidence.score(),
            evidence.reasons()));
  }
}
