package io.firn.store;

import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Hides what might be secret in an address. In an address of JDBC every parameter is hidden that is
 * not known to be harmless, because each driver has names of its own for its secrets.
 */
final class AddressMask {

  /** Up to the last @, because a password may hold anything; more is hidden than need be. */
  private static final Pattern USER_INFO =
      Pattern.compile("^((?:[\\w.+-]+:)+//|(?:jdbc:)?[\\w.+-]+:|)(.*)@", Pattern.DOTALL);

  /** The value ends where another parameter with a value begins: a password may have an &. */
  private static final Pattern PARAMETER =
      Pattern.compile("([?&;])([^=?&;]*)=([^&;]*(?:[&;][^=&;]*(?![^&;]))*)", Pattern.DOTALL);

  /** As in MySQL's {@code //(host=a,password=p)/db} and Oracle's {@code (HOST=a)(PORT=1)}. */
  private static final Pattern PARAMETER_IN_PARENTHESES =
      Pattern.compile("([(,]\\s*)([^=(),]*)=([^(),]*)", Pattern.DOTALL);

  /** A name may be encoded to any depth, and have letters whose other case is in ASCII. */
  private static final Pattern PLAIN = Pattern.compile("[\\p{ASCII}&&[^%]]*");

  private static final Pattern SECRET =
      Pattern.compile("(?i).*(?:password|passwd|pwd|secret|token).*", Pattern.DOTALL);

  private static final Set<String> PLACES_OF_SECRETS =
      Set.of("password-env", "password-file", "sentinel-password-env", "sentinel-password-file");

  private static final Set<String> HARMLESS_IN_JDBC =
      Set.of(
          "address",
          "address_list",
          "allow-counters",
          "applicationname",
          "busy_timeout",
          "connect_data",
          "connecttimeout",
          "currentschema",
          "database",
          "databasename",
          "ddl",
          "description",
          "encrypt",
          "failoverreadonly",
          "host",
          "journal_mode",
          "instancename",
          "logintimeout",
          "may-forget",
          "mode",
          "network_timeout",
          "port",
          "portnumber",
          "protocol",
          "server",
          "servername",
          "service_name",
          "sid",
          "sockettimeout",
          "ssl",
          "sslmode",
          "synchronous",
          "table",
          "targetservertype",
          "timeout",
          "user",
          "usessl");

  private AddressMask() {}

  static String hide(String address) {
    boolean jdbc = address.regionMatches(true, 0, "jdbc:", 0, 5);
    String masked = USER_INFO.matcher(address).replaceFirst("$1***@");
    masked = PARAMETER.matcher(masked).replaceAll(parameter -> hide(parameter, jdbc));
    return jdbc
        ? PARAMETER_IN_PARENTHESES.matcher(masked).replaceAll(parameter -> hide(parameter, true))
        : masked;
  }

  private static String hide(MatchResult parameter, boolean jdbc) {
    String name = parameter.group(2).strip().toLowerCase(Locale.ROOT);
    boolean harmless =
        PLAIN.matcher(name).matches()
            && (PLACES_OF_SECRETS.contains(name)
                || (jdbc ? HARMLESS_IN_JDBC.contains(name) : !SECRET.matcher(name).matches()));
    boolean empty = parameter.group(3).isEmpty();
    return Matcher.quoteReplacement(
        harmless || empty ? parameter.group() : parameter.group(1) + parameter.group(2) + "=***");
  }
}
