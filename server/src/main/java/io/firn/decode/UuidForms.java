package io.firn.decode;

import io.firn.wide.Uuids;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
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

  /** Any 128 bits can be written so, and most are a ULID: those of a known version are shown. */
  private Stream<WideReading> inBase32(UUID uuid) {
    return uuid.variant() == RFC_VARIANT && VERSIONS.containsKey(uuid.version())
        ? Stream.of(reading("base32", uuid))
        : Stream.of();
  }

  private WideReading reading(String form, UUID uuid) {
    boolean isOfRfc = uuid.variant() == RFC_VARIANT && VERSIONS.containsKey(uuid.version());
    Optional<Instant> instant = Uuids.instant(uuid);
    Map<String, String> fields = isOfRfc ? fields(uuid) : Map.of();
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
        fields,
        true,
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

  private static Map<String, String> fields(UUID uuid) {
    long high = uuid.getMostSignificantBits();
    long low = uuid.getLeastSignificantBits();
    Map<String, String> fields = new LinkedHashMap<>();
    switch (uuid.version()) {
      case 1, 6 -> fields.put("clock_seq", Long.toString(low >>> 48 & 0x3FFF));
      case 2 -> {
        fields.put("local_id", Long.toString(high >>> 32));
        fields.put("domain", Long.toString(low >>> 48 & 0xFF));
      }
      case 7 -> {
        fields.put("rand_a", hex(high & 0xFFF, 3));
        fields.put("rand_b", hex(low & 0x3FFF_FFFF_FFFF_FFFFL, 16));
      }
      default -> {}
    }
    if (fields.containsKey("clock_seq") || fields.containsKey("domain")) {
      fields.put("node", node(low));
    }
    return fields;
  }

  /** As a MAC address; no card has one with the multicast bit, so that means random bits. */
  private static String node(long low) {
    String digits = hex(low & 0xFFFF_FFFF_FFFFL, 12);
    String address = digits.replaceAll("..(?=.)", "$0:");
    return address + ((low >>> 40 & 1) == 1 ? " (random)" : "");
  }

  private static String hex(long value, int digits) {
    return String.format(Locale.ROOT, "%0" + digits + "x", value);
  }
}
