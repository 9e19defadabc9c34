package io.firn.server.config;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads values by their paths, and refuses with the origin what is not of their form. */
final class Values {

  private static final Pattern TIME = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,9})(|KiB|MiB)");
  private static final Pattern ADDRESS =
      Pattern.compile("(\\[[0-9A-Fa-f:.%]+]|[^:\\[\\]]*):([0-9]{1,5})");

  private final Map<String, Value> values;

  Values(Map<String, Value> values) {
    this.values = values;
  }

  Optional<Value> find(String path) {
    return Optional.ofNullable(values.get(path));
  }

  private Value value(String path) {
    return find(path).orElseThrow(() -> new IllegalArgumentException(path + ": none"));
  }

  /** The names below a group, as of the namespaces, in order; empty for what has no names. */
  List<String> names(String group) {
    return List.copyOf(
        values.keySet().stream()
            .filter(path -> path.startsWith(group + "."))
            .map(path -> path.substring(group.length(), path.lastIndexOf('.')))
            .map(name -> name.substring(Math.min(1, name.length())))
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  boolean isOn(String path) {
    return choice(path, List.of("on", "off")).equals("on");
  }

  String choice(String path, List<String> words) {
    Value value = value(path);
    if (!words.contains(value.text())) {
      throw value.refused(path, Words.expected(value.text(), words));
    }
    return value.text();
  }

  /** What {@code reader} makes of a value; its refusals get the path and the origin. */
  <T> T read(String path, Function<String, T> reader) {
    Value value = value(path);
    try {
      return reader.apply(value.text());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          path + ": " + e.getMessage() + " [" + value.origin() + "]", e);
    }
  }

  int count(String path, int least, int most) {
    return (int) number(path, least, most);
  }

  long number(String path, long least, long most) {
    Value value = value(path);
    return inRange(path, value, parse(value.text()), least, most);
  }

  OptionalLong numberIfAny(String path, long least, long most) {
    return values.containsKey(path)
        ? OptionalLong.of(number(path, least, most))
        : OptionalLong.empty();
  }

  OptionalInt countUnlessOff(String path, int least, int most) {
    return value(path).text().equals("off")
        ? OptionalInt.empty()
        : OptionalInt.of(count(path, least, most));
  }

  private static OptionalLong parse(String digits) {
    return digits.matches("[0-9]{1,18}")
        ? OptionalLong.of(Long.parseLong(digits))
        : OptionalLong.empty();
  }

  private static long inRange(
      String path, Value value, OptionalLong number, long least, long most) {
    if (number.isEmpty() || number.getAsLong() < least || number.getAsLong() > most) {
      throw value.refused(path, least + ".." + most);
    }
    return number.getAsLong();
  }

  int bytes(String path, int least, int most) {
    Value value = value(path);
    Matcher size = SIZE.matcher(value.text());
    long bytes = -1;
    if (size.matches()) {
      int shift = Arrays.asList("", "KiB", "MiB").indexOf(size.group(2)) * 10;
      bytes = Long.parseLong(size.group(1)) << shift;
    }
    if (bytes < least || bytes > most) {
      throw value.refused(path, least + ".." + most + " bytes, as 4096 or 64KiB or 1MiB");
    }
    return (int) bytes;
  }

  Duration time(String path, Duration least, Duration most) {
    Value value = value(path);
    Duration time = parseTime(value.text()).orElse(Duration.ofMillis(-1));
    if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
      throw value.refused(path, text(least) + ".." + text(most) + ", as 500ms or 5s or 2m or 1h");
    }
    return time;
  }

  private static Optional<Duration> parseTime(String text) {
    Matcher time = TIME.matcher(text);
    if (!time.matches()) {
      return Optional.empty();
    }
    long number = Long.parseLong(time.group(1));
    return Optional.of(
        switch (time.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          case "m" -> Duration.ofMinutes(number);
          default -> Duration.ofHours(number);
        });
  }

  private static String text(Duration time) {
    long millis = time.toMillis();
    if (millis % 3_600_000 == 0 && millis > 0) {
      return millis / 3_600_000 + "h";
    }
    return millis % 1000 == 0 && millis > 0 ? millis / 1000 + "s" : millis + "ms";
  }

  /** An address to listen at; empty if it is off. A port of 0 is a free one. */
  Optional<InetSocketAddress> address(String path) {
    Value value = value(path);
    if (value.text().equals("off")) {
      return Optional.empty();
    }
    Matcher address = ADDRESS.matcher(value.text());
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
    return Optional.of(resolved);
  }

  List<String> list(String path) {
    return Arrays.stream(value(path).text().split(",", -1)).map(String::strip).toList();
  }
}
