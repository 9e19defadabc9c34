package io.firn.decode;

import io.firn.wide.Uuids;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** UUIDs of every version: with dashes, without, in braces, as a URN, and in base 32. */
final class UuidForms {

  private static final Pattern HEX =
      Pattern.compile(
          "(?:urn:uuid:|\\{)?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?"
              + "([0-9a-f]{12})}?",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern BASE32 = Pattern.compile("[0-7][0-9a-hjkmnp-tv-z]{25}");

  private static final int RFC_VARIANT = 2;
  private static final UUID NIL = new UUID(0, 0);
  private static final UUID MAX = new UUID(-1, -1);

  private static final Map<Integer, String> VERSIONS =
      Map.of(
          1, "time and node",
          2, "DCE security, a local ID and node",
          3, "MD5 hash of a name",
          4, "random",
          5, "SHA-1 hash of a name",
          6, "time and node, sorted by time",
          7, "time and random bits",
          8, "whatever its maker likes");

  private static final Map<Integer, String> OTHER_VARIANTS =
      Map.of(0, "NCS", 6, "Microsoft", 7, "reserved");

  private final Instant now;

  UuidForms(Instant now) {
    this.now = now;
  }

  Stream<WideReading> of(String text) {
    Matcher hex = HEX.matcher(text);
    if (hex.matches()) {
      String groups = Stream.of(1, 2, 3, 4, 5).map(hex::group).collect(Collectors.joining("-"));
      return Stream.of(reading("uuid", Uuids.parse(groups)));
    }
    return BASE32.matcher(text).matches() ? inBase32(Uuids.parseBase32(text)) : Stream.of();
  }

  /**
   * Returns the reading of a UUID of a known version; empty for others: any 128 bits can be written
   * so, and most are a ULID.
   */
  private Stream<WideReading> inBase32(UUID uuid) {
    return uuid.variant() == RFC_VARIANT && VERSIONS.containsKey(uuid.version())
        ? Stream.of(reading("base32", uuid))
        : Stream.of();
  }

  private WideReading reading(String form, UUID uuid) {
    boolean isOfRfc = uuid.variant() == RFC_VARIANT && VERSIONS.containsKey(uuid.version());
    Optional<Instant> instant = Uuids.instant(uuid);
    Bits bits = new Bits(Uuids.toBytes(uuid));
    if (isOfRfc) {
      take(bits, uuid.version());
    }
    Evidence evidence =
        new Evidence(now).add(isOfRfc, 0, "version " + uuid.version() + " in its place");
    evidence.any(instant.isPresent() ? 74 : 122);
    instant.ifPresent(time -> evidence.time(time, Instant.EPOCH, Duration.ofMillis(1)));
    return new WideReading(
        uuid.toString(),
        form,
        isOfRfc ? "uuid" + uuid.version() : "uuid",
        title(uuid, isOfRfc),
        instant,
        bits.binary(),
        bits.fields(),
        evidence.score(),
        evidence.reasons());
  }

  private static String title(UUID uuid, boolean isOfRfc) {
    if (isOfRfc) {
      return "UUID of version " + uuid.version() + ": " + VERSIONS.get(uuid.version());
    }
    if (uuid.equals(NIL)) {
      return "the nil UUID";
    }
    if (uuid.equals(MAX)) {
      return "the max UUID";
    }
    return uuid.variant() == RFC_VARIANT
        ? "UUID of no known version, " + uuid.version()
        : "UUID of another variant: " + OTHER_VARIANTS.get(uuid.variant());
  }

  /** Takes the fields by the names that RFC 9562 has for them. */
  private static void take(Bits bits, int version) {
    switch (version) {
      case 1 -> takeTimes(bits, "time_low", "time_mid", "time_high");
      case 2 ->
          bits.number("local_id", 32)
              .hex("time_mid", 16)
              .number("version", 4)
              .hex("time_high", 12)
              .number("variant", 2)
              .number("clock_seq", 6)
              .number("domain", 8)
              .field("node", 48, UuidForms::node);
      case 6 -> takeTimes(bits, "time_high", "time_mid", "time_low");
      case 7 ->
          bits.time(48, Instant::ofEpochMilli)
              .number("version", 4)
              .hex("rand_a", 12)
              .number("variant", 2)
              .hex("rand_b", 62);
      case 4 -> takeOpaque(bits, "random");
      case 8 -> takeOpaque(bits, "custom");
      default -> takeOpaque(bits, "hash");
    }
  }

  private static void takeTimes(Bits bits, String first, String second, String third) {
    bits.hex(first, 32)
        .hex(second, 16)
        .number("version", 4)
        .hex(third, 12)
        .number("variant", 2)
        .number("clock_seq", 14)
        .field("node", 48, UuidForms::node);
  }

  private static void takeOpaque(Bits bits, String name) {
    bits.hex(name + "_a", 48)
        .number("version", 4)
        .hex(name + "_b", 12)
        .number("variant", 2)
        .hex(name + "_c", 62);
  }

  /**
   * Returns the node as a MAC address. No card has one with the multicast bit, so that means random
   * bits.
   */
  private static String node(long node) {
    String address = String.format(Locale.ROOT, "%012x", node).replaceAll("..(?=.)", "$0:");
    return address + ((node >>> 40 & 1) == 1 ? " (random)" : "");
  }
}
