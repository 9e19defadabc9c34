package io.firn.store;

import io.firn.time.DurationText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The address of a register store: {@code
 * scheme://user:password@host:port,host:port/path?name=value} or {@code scheme:path?name=value}.
 * Immutable. What might be secret in it is never printed.
 *
 * <p>A password need not be in it: {@code password-env=NAME} takes it from an environment variable,
 * {@code password-file=PATH} from the first line of a file. {@code timeout=500ms} or {@code
 * timeout=2s} says how long one call may take.
 */
public final class StoreUri {

  /** Short compared with half of a lease's default window. */
  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  private static final Pattern FORM =
      Pattern.compile("([A-Za-z][A-Za-z0-9+.-]+):(//([^/?]*))?([^?]*)(\\?.*)?", Pattern.DOTALL);
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.%]+]|[^:\\[\\]]+)(:(\\d+))?");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

  /** The parameters of every store with servers. */
  private static final List<String> OF_ALL_SERVERS =
      List.of("timeout", "user", "password", "password-env", "password-file");

  private final String text;
  private final String scheme;
  private final String authority;
  private final String path;
  private final NavigableMap<String, String> parameters;
  private final UnaryOperator<@Nullable String> environment;

  private StoreUri(String text, Matcher form, UnaryOperator<@Nullable String> environment) {
    this.text = text;
    this.environment = environment;
    scheme = form.group(1).toLowerCase(Locale.ROOT);
    authority = form.group(3) == null ? "" : form.group(3);
    path = form.group(4);
    parameters = new TreeMap<>(String.CASE_INSENSITIVE_ORDER); // as drivers of JDBC read them
    for (String pair : pairs(text)) {
      int equals = pair.indexOf('=');
      String name = name(pair);
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
      if (parameters.put(name, value) != null) {
        throw refused(name, "twice in ", "each parameter once");
      }
    }
    requireOne("user", userInfo(0).isPresent(), "user");
    requireOne("password", userInfo(1).isPresent(), "password", "password-env", "password-file");
  }

  /** Returns the parameters of an address as they are written. */
  private static List<String> pairs(String address) {
    int query = address.indexOf('?');
    return query < 0 ? List.of() : List.of(address.substring(query + 1).split("&", -1));
  }

  private String name(String pair) {
    return decode(pair.split("=", 2)[0]);
  }

  /** Names the parameter only if the masked address does: it may be part of a password. */
  private IllegalArgumentException refused(String name, String where, String rule) {
    boolean shown = pairs(toString()).stream().anyMatch(pair -> name(pair).equals(name));
    return new IllegalArgumentException(
        shown
            ? name + ": " + where + this + " (expected: " + rule + ")"
            : "store: "
                + this
                + " (expected: "
                + rule
                + "; in a user or password %3F for ? and %26 for &)");
  }

  /** Of several, one would count, and the operator could not know which. */
  private void requireOne(String what, boolean beforeServers, String... names) {
    long ways = given(names) + (beforeServers ? 1 : 0);
    require(ways <= 1, "one " + what + ", before the servers or as one parameter");
  }

  private long given(String... names) {
    return Arrays.stream(names).filter(parameters::containsKey).count();
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
          "store: " + AddressMask.hide(text) + " (expected: SCHEME:ADDRESS, as file:DIR)");
    }
    return new StoreUri(text, form, environment);
  }

  private String decode(String encoded) {
    try {
      return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "store: " + AddressMask.hide(text) + " (expected: two hex digits after every %)", e);
    }
  }

  /** Returns the scheme, in lower case. */
  public String scheme() {
    return scheme;
  }

  /** Returns the part behind the servers, or behind the scheme without servers; not decoded. */
  public String path() {
    return path;
  }

  /** Returns whether it names servers. */
  public boolean hasServers() {
    return !authority.isEmpty();
  }

  /**
   * Returns the servers, as written and not resolved.
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
            "store: " + this + " (expected: HOST or HOST:PORT after //, separated by commas)");
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

  /** Returns the user, from before the servers or from the parameter {@code user}. */
  public Optional<String> user() {
    return userInfo(0).or(() -> parameter("user"));
  }

  /**
   * Returns the password: the one before the servers, the parameter {@code password}, the value of
   * the environment variable that {@code password-env} names, or the first line of the file that
   * {@code password-file} names. Reads it again at each call, so a store that asks at each connect
   * takes a new password without a restart.
   *
   * @throws IllegalArgumentException if that variable is not set or that file cannot be read
   */
  public Optional<String> password() {
    return userInfo(1).or(() -> secret("password"));
  }

  /**
   * Returns a secret: the parameter of that name, the value of the environment variable that {@code
   * NAME-env} names, or the first line of the file that {@code NAME-file} names. Reads it again at
   * each call.
   *
   * @throws IllegalArgumentException if it is given in two ways, that variable is not set or that
   *     file cannot be read
   */
  public Optional<String> secret(String name) {
    String variable = name + "-env";
    String file = name + "-file";
    require(given(name, variable, file) <= 1, "one " + name + ", as one parameter");
    return parameter(name)
        .or(() -> parameter(variable).map(value -> variable(variable, value)))
        .or(() -> parameter(file).map(value -> firstLine(file, value)));
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

  private String variable(String parameter, String name) {
    String value = environment.apply(name);
    if (value == null) {
      throw new IllegalArgumentException(
          parameter + ": " + name + " (expected: an environment variable that is set)");
    }
    return value;
  }

  private static String firstLine(String parameter, String file) {
    try {
      return Files.readString(Path.of(file)).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw new IllegalArgumentException(
          parameter + ": " + file + " (expected: a file to read; " + ReadFailure.reason(e) + ")",
          e);
    }
  }

  /** Returns a parameter's value; empty if it was not given. */
  public Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.get(name));
  }

  /**
   * Returns the file that a parameter names; empty if it was not given.
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
   * Returns how long one call to the store may take: 1 ms..1 minute, 3 s unless given.
   *
   * @throws IllegalArgumentException if the parameter {@code timeout} is no such time
   */
  public Duration timeout() {
    return parameter("timeout").map(StoreUri::time).orElse(TIMEOUT);
  }

  private static Duration time(String value) {
    return DurationText.parse(value)
        .filter(StoreSettings::isTimeout)
        .orElseThrow(() -> StoreSettings.refusedTimeout("timeout", value));
  }

  /**
   * Returns the value of a parameter that is {@code true} or {@code false}.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  public boolean flag(String name, boolean defaultValue) {
    String value = parameter(name).orElse("" + defaultValue);
    if (!value.equals("true") && !value.equals("false")) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: true or false)");
    }
    return value.equals("true");
  }

  /**
   * Returns the value of a parameter that is a whole number.
   *
   * @throws IllegalArgumentException if it is none, or outside of the bounds
   */
  public int number(String name, int min, int max, int defaultValue) {
    String value = parameter(name).orElse("" + defaultValue);
    if (NUMBER.matcher(value).matches()) {
      int number = Integer.parseInt(value);
      if (number >= min && number <= max) {
        return number;
      }
    }
    throw new IllegalArgumentException(
        name + ": " + value + " (expected: " + min + ".." + max + ")");
  }

  /**
   * Refuses an address.
   *
   * @param rule what is expected of the address
   * @throws IllegalArgumentException unless {@code held}
   */
  public void require(boolean held, String rule) {
    if (!held) {
      throw new IllegalArgumentException("store: " + this + " (expected: " + rule + ")");
    }
  }

  /**
   * Refuses parameters that are neither common to stores with servers nor in {@code names}.
   *
   * @throws IllegalArgumentException if there is one
   */
  public StoreUri allowForServers(String... names) {
    return allow(
        Stream.concat(Arrays.stream(names), OF_ALL_SERVERS.stream()).toArray(String[]::new));
  }

  /**
   * Refuses parameters that the store does not know.
   *
   * @throws IllegalArgumentException if there is one that is not in {@code names}
   */
  public StoreUri allow(String... names) {
    List<String> allowed = Arrays.asList(names);
    for (String name : parameters.keySet()) {
      if (!allowed.contains(name)) {
        throw refused(name, "in ", expected(allowed));
      }
    }
    return this;
  }

  private static String expected(List<String> allowed) {
    return allowed.isEmpty() ? "no parameters" : "one of " + String.join(", ", allowed);
  }

  /**
   * Returns the address as it was given, secrets and all, without these parameters: for a driver.
   */
  public String without(String... names) {
    String rest =
        pairs(text).stream()
            .filter(pair -> Arrays.stream(names).noneMatch(name(pair)::equalsIgnoreCase))
            .collect(Collectors.joining("&"));
    return text.split("\\?", 2)[0] + (rest.isEmpty() ? "" : "?" + rest);
  }

  /** Returns an address without its secrets, also if it can't be read. */
  public static String hide(String address) {
    return AddressMask.hide(address);
  }

  /** Returns the address without its secrets. */
  @Override
  public String toString() {
    return AddressMask.hide(text);
  }
}
