package io.firn.lease;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The address of a register store: {@code
 * scheme://user:password@host:port,host:port/path?name=value} or {@code scheme:path?name=value}.
 * Immutable. What might be secret in it is never printed.
 *
 * <p>A password need not stand in it: {@code password-env=NAME} takes it from an environment
 * variable, {@code password-file=PATH} from the first line of a file. {@code timeout=500ms} or
 * {@code timeout=2s} says how long one call may take.
 */
public final class StoreUri {

  /** Short against half the window that a lease has unless told otherwise. */
  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);

  private static final Pattern FORM =
      Pattern.compile("([A-Za-z][A-Za-z0-9+.-]+):(//([^/?]*))?([^?]*)(\\?(.*))?", Pattern.DOTALL);
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.%]+]|[^:\\[\\]]+)(:(\\d+))?");
  private static final Pattern TIME = Pattern.compile("(\\d{1,6})(ms|s)");

  /** Up to the last @, for a password may hold anything; more is hidden than need be. */
  private static final Pattern USER_INFO = Pattern.compile("(//|:(?!.*//)).*@", Pattern.DOTALL);

  private static final Pattern SECRET =
      Pattern.compile(
          "(?i)([?&;][^=?&;]*(?:password|passwd|pwd|secret|token)[^=?&;]*=)[^&;]*", Pattern.DOTALL);
  private static final Pattern PLACE_OF_SECRET =
      Pattern.compile("(?i)[?&;]password-(env|file)=[^&;]*");

  private final String text;
  private final String scheme;
  private final String authority;
  private final String path;
  private final Map<String, String> parameters;
  private final UnaryOperator<@Nullable String> environment;

  private StoreUri(String text, Matcher form, UnaryOperator<@Nullable String> environment) {
    this.text = text;
    this.environment = environment;
    scheme = form.group(1).toLowerCase(Locale.ROOT);
    authority = form.group(3) == null ? "" : form.group(3);
    path = form.group(4);
    parameters = new LinkedHashMap<>();
    if (form.group(6) != null) {
      for (String pair : form.group(6).split("&", -1)) {
        int equals = pair.indexOf('=');
        parameters.put(
            decode(equals < 0 ? pair : pair.substring(0, equals)),
            equals < 0 ? "" : decode(pair.substring(equals + 1)));
      }
    }
  }

  /**
   * Reads an address.
   *
   * @throws IllegalArgumentException if it has no scheme
   */
  public static StoreUri parse(String text) {
    return parse(text, System::getenv);
  }

  static StoreUri parse(String text, UnaryOperator<@Nullable String> environment) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "store: " + mask(text) + " (expected: SCHEME:ADDRESS, as file:DIR)");
    }
    return new StoreUri(text, form, environment);
  }

  private String decode(String encoded) {
    try {
      return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "store: " + mask(text) + " (expected: %XX behind every %)", e);
    }
  }

  /** The scheme, in lower case. */
  public String scheme() {
    return scheme;
  }

  /** What stands behind the servers, or behind the scheme if there are none; not decoded. */
  public String path() {
    return path;
  }

  /** Whether it names servers. */
  public boolean hasServers() {
    return !authority.isEmpty();
  }

  /**
   * The servers, as written and not resolved.
   *
   * @param defaultPort for those that name none
   * @throws IllegalArgumentException if there is none, or one that is not {@code HOST} or {@code
   *     HOST:PORT}
   */
  public List<InetSocketAddress> servers(int defaultPort) {
    List<InetSocketAddress> servers = new ArrayList<>();
    for (String server : authority.substring(authority.lastIndexOf('@') + 1).split(",", -1)) {
      Matcher host = HOST.matcher(server);
      int port = host.matches() ? port(host.group(3), defaultPort) : -1;
      if (port < 1 || port > 65_535) {
        throw new IllegalArgumentException(
            "store: "
                + this
                + " (expected: HOST or HOST:PORT behind //, more of them behind commas)");
      }
      servers.add(InetSocketAddress.createUnresolved(host.group(1), port));
    }
    return servers;
  }

  private static int port(@Nullable String digits, int otherwise) {
    if (digits == null) {
      return otherwise;
    }
    return digits.length() > 5 ? -1 : Integer.parseInt(digits);
  }

  /** The user, from before the servers or from the parameter {@code user}. */
  public Optional<String> user() {
    return userInfo(0).or(() -> parameter("user"));
  }

  /**
   * The password, from the first of: before the servers, the parameter {@code password}, the
   * environment variable that {@code password-env} names, the file that {@code password-file}
   * names.
   *
   * @throws IllegalArgumentException if that variable is not set or that file cannot be read
   */
  public Optional<String> password() {
    return userInfo(1)
        .or(() -> parameter("password"))
        .or(() -> parameter("password-env").map(this::variable))
        .or(() -> parameter("password-file").map(this::firstLine));
  }

  private Optional<String> userInfo(int part) {
    int end = authority.lastIndexOf('@');
    if (end < 0) {
      return Optional.empty();
    }
    String[] parts = authority.substring(0, end).split(":", 2);
    return parts.length <= part || parts[part].isEmpty()
        ? Optional.empty()
        : Optional.of(decode(parts[part]));
  }

  private String variable(String name) {
    String value = environment.apply(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "password-env: " + name + " (expected: an environment variable that is set)");
    }
    return value;
  }

  private String firstLine(String file) {
    try {
      return Files.readString(Path.of(file)).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "password-file: " + file + " (expected: a file to read; " + e + ")", e);
    }
  }

  /** A parameter's value; empty if it was not given. */
  public Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.get(name));
  }

  /**
   * The file that a parameter names; empty if it was not given.
   *
   * @throws IllegalArgumentException if it cannot be read
   */
  public Optional<Path> file(String name) {
    return parameter(name).map(file -> readable(name, file));
  }

  private static Path readable(String name, String file) {
    Path path = Path.of(file);
    if (!Files.isReadable(path)) {
      throw new IllegalArgumentException(name + ": " + file + " (expected: a file to read)");
    }
    return path;
  }

  /**
   * How long one call to the store may take: 1 ms..1 minute, 3 s unless given.
   *
   * @throws IllegalArgumentException if the parameter {@code timeout} is no such time
   */
  public Duration timeout() {
    return parameter("timeout").map(StoreUri::time).orElse(TIMEOUT);
  }

  private static Duration time(String value) {
    Matcher time = TIME.matcher(value);
    if (time.matches()) {
      long number = Long.parseLong(time.group(1));
      Duration duration =
          time.group(2).equals("s") ? Duration.ofSeconds(number) : Duration.ofMillis(number);
      if (!duration.isZero() && duration.compareTo(MAX_TIMEOUT) <= 0) {
        return duration;
      }
    }
    throw new IllegalArgumentException("timeout: " + value + " (expected: 1ms..60s)");
  }

  /**
   * Refuses parameters that the store does not know.
   *
   * @throws IllegalArgumentException if there is one that is not among {@code names}
   */
  public StoreUri allow(String... names) {
    List<String> allowed = Arrays.asList(names);
    for (String name : parameters.keySet()) {
      if (!allowed.contains(name)) {
        throw new IllegalArgumentException(
            name + ": in " + this + " (expected: " + expected(allowed) + ")");
      }
    }
    return this;
  }

  private static String expected(List<String> allowed) {
    return allowed.isEmpty() ? "no parameters" : "one of " + String.join(", ", allowed);
  }

  /** The address as it was given, secrets and all, without these parameters: for a driver. */
  public String without(String... names) {
    List<String> taken = Arrays.asList(names);
    int query = text.indexOf('?');
    if (query < 0) {
      return text;
    }
    String rest =
        Arrays.stream(text.substring(query + 1).split("&", -1))
            .filter(pair -> !taken.contains(decode(pair.split("=", 2)[0])))
            .collect(Collectors.joining("&"));
    return text.substring(0, query) + (rest.isEmpty() ? "" : "?" + rest);
  }

  /** The address without its secrets. */
  @Override
  public String toString() {
    return mask(text);
  }

  private static String mask(String text) {
    String masked = USER_INFO.matcher(text).replaceFirst("$1***@");
    return SECRET
        .matcher(masked)
        .replaceAll(
            secret ->
                PLACE_OF_SECRET.matcher(secret.group()).matches()
                    ? Matcher.quoteReplacement(secret.group())
                    : Matcher.quoteReplacement(secret.group(1) + "***"));
  }
}
