package io.firn.server.config;

import io.firn.store.StoreUri;
import io.firn.time.DurationText;
import io.netty.util.NetUtil;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values that a setting takes.
 *
 * @param form what a value looks like, for help texts
 * @param range the limits of a value; empty where the form says all
 * @param parser reads a value from its text
 * @param shown returns a text without its secrets
 */
record ValueType<T>(String form, String range, Parser<T> parser, UnaryOperator<String> shown) {

  /** Reads a value from its text. */
  @FunctionalInterface
  interface Parser<T> {
    /**
     * Returns the value.
     *
     * @throws IllegalArgumentException if the text is none, with the path and the origin
     */
    T parse(String path, Value value);
  }

  private static final String OFF = "off";

  /** The refusal of a reader. The path replaces its name, unless that is one of a parameter. */
  private static final Pattern REFUSAL =
      Pattern.compile("(?:[A-Za-z]+: )?(?!twice in )(.*) \\(expected: (.*)\\)", Pattern.DOTALL);

  private static final Pattern SIZE = Pattern.compile("([0-9]{1,9})(|KiB|MiB)");
  private static final Pattern ADDRESS_FORM =
      Pattern.compile("(\\[[0-9A-Fa-f:.%]+]|[^:\\[\\]]*):([0-9]{1,5})");

  /** RFC 1123, section 2.1, with the underscore of names that containers have. */
  private static final Pattern HOST =
      Pattern.compile("(?!.{254})(?!-)[a-z0-9_-]{1,63}(?<!-)(\\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\\.?");

  /** A secret, which is never printed. */
  static final ValueType<String> SECRET =
      new ValueType<>(
          "SECRET",
          "16..256 visible ASCII characters",
          (path, value) -> value.text(),
          secret -> "***");

  /** An address to listen at. A port of 0 is a free one. */
  static final ValueType<InetSocketAddress> ADDRESS =
      visible("HOST:PORT", "", ValueType::parseAddress);

  /** The address of a store, which may contain a password. */
  static final ValueType<String> STORE_URI = text("URI", ValueType::checkedUri).withoutSecrets();

  static final ValueType<Path> FILE = visible("FILE", "", (path, value) -> Path.of(value.text()));

  /** Several texts, with commas between them. */
  static final ValueType<List<String>> LIST =
      visible("NAMES|*", "", (path, value) -> split(value.text()));

  /** Host names in lower case, as the check of a request's host compares them. */
  static final ValueType<List<String>> HOSTS =
      ranged(
          LIST.form,
          "",
          "names such as ids.example, in ASCII, without scheme, port and wildcard, or * for all",
          text ->
              Optional.of(split(text.toLowerCase(Locale.ROOT)))
                  .filter(hosts -> hosts.stream().allMatch(ValueType::isHost)));

  private static List<String> split(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::strip).toList();
  }

  private static boolean isHost(String text) {
    return text.equals("*")
        || HOST.matcher(text).matches()
        || (NetUtil.isValidIpV6Address(text) && !text.startsWith("["));
  }

  private static String checkedUri(String text) {
    StoreUri.parse(text);
    return text;
  }

  private static <T> ValueType<T> visible(String form, String range, Parser<T> parser) {
    return new ValueType<>(form, range, parser, UnaryOperator.identity());
  }

  /**
   * Returns the type of the values that a reader parses; its refusals get the path and the origin.
   */
  static <T> ValueType<T> text(String form, Function<String, T> reader) {
    return visible(
        form,
        "",
        (path, value) -> {
          try {
            return reader.apply(value.text());
          } catch (IllegalArgumentException e) {
            Matcher refusal = REFUSAL.matcher(String.valueOf(e.getMessage()));
            throw refusal.matches()
                ? Value.refused(path, refusal.group(1), refusal.group(2), value.origin())
                : e;
          }
        });
  }

  /** Returns the type of texts that a reader accepts, with {@code range} as the expected rule. */
  private static <T> ValueType<T> ranged(
      String form, String range, String expected, Function<String, Optional<T>> reader) {
    return visible(
        form,
        range,
        (path, value) ->
            reader.apply(value.text()).orElseThrow(() -> value.refused(path, expected)));
  }

  static ValueType<String> choice(String... words) {
    List<String> valid = List.of(words);
    return visible(
        String.join("|", words),
        "",
        (path, value) -> {
          if (!valid.contains(value.text())) {
            throw value.refused(path, Words.expected(value.text(), valid));
          }
          return value.text();
        });
  }

  static ValueType<Boolean> onOff() {
    return choice("on", OFF).map(text -> text.equals("on"));
  }

  static ValueType<Long> number(long least, long most) {
    String range = least + ".." + most;
    return ranged(
        "N",
        range,
        range,
        text ->
            Optional.of(text)
                .filter(digits -> digits.matches("[0-9]{1,19}"))
                .map(BigInteger::new)
                .filter(number -> number.bitLength() < Long.SIZE)
                .map(BigInteger::longValue)
                .filter(number -> number >= least && number <= most));
  }

  static ValueType<Integer> count(int least, int most) {
    return number(least, most).map(Long::intValue);
  }

  /** Returns the type of numbers of bytes. */
  static ValueType<Integer> size(int least, int most) {
    String range = least + ".." + most + " bytes";
    return ranged(
        "SIZE",
        range,
        range + ", as 4096 or 64KiB or 1MiB",
        text ->
            parseSize(text).filter(bytes -> bytes >= least && bytes <= most).map(Long::intValue));
  }

  private static Optional<Long> parseSize(String text) {
    Matcher size = SIZE.matcher(text);
    if (!size.matches()) {
      return Optional.empty();
    }
    int shift = List.of("", "KiB", "MiB").indexOf(size.group(2)) * 10;
    return Optional.of(Long.parseLong(size.group(1)) << shift);
  }

  static ValueType<Duration> time(Duration least, Duration most) {
    String range = DurationText.write(least) + ".." + DurationText.write(most);
    return ranged(
        "TIME",
        range,
        range + ", as 500ms or 5s or 2m or 1h",
        text ->
            DurationText.parse(text)
                .filter(time -> time.compareTo(least) >= 0 && time.compareTo(most) <= 0));
  }

  private static InetSocketAddress parseAddress(String path, Value value) {
    Matcher address = ADDRESS_FORM.matcher(value.text());
    int port = address.matches() ? Integer.parseInt(address.group(2)) : -1;
    if (port < 0 || port > 65_535) {
      throw value.refused(path, "HOST:PORT, :PORT for every address, or off");
    }
    String host = address.group(1);
    InetSocketAddress resolved =
        host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    if (resolved.isUnresolved()) {
      throw value.refused(path, "a host that can be resolved");
    }
    return resolved;
  }

  /** Returns the type of these values, which are addresses and shown without their secrets. */
  ValueType<T> withoutSecrets() {
    return new ValueType<>(form, range, parser, StoreUri::hide);
  }

  /** Returns the type of these values converted by a function. */
  <U> ValueType<U> map(Function<T, U> function) {
    return new ValueType<>(
        form, range, (path, value) -> function.apply(parser.parse(path, value)), shown);
  }

  /** Returns the type of these values and of {@code off}, which is empty. */
  ValueType<Optional<T>> orOff() {
    return new ValueType<>(
        form + "|" + OFF,
        range,
        (path, value) ->
            value.text().equals(OFF) ? Optional.empty() : Optional.of(parser.parse(path, value)),
        shown);
  }

  /** Returns whether a value is on or off. */
  boolean isSwitch() {
    return form.equals("on|" + OFF);
  }
}
