package io.firn.store;

import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Hides what might be secret in an address. Every parameter is hidden that is not known to be
 * harmless: each driver has names of its own for its secrets, and the name of one may be mistyped.
 */
final class AddressMask {

  /** That of a store, or of a source as in {@code leaf:jdbc:}. */
  private static final Pattern JDBC = Pattern.compile("(?i)(?:[a-z-]+:)?jdbc:");

  private static final Pattern HTTP = Pattern.compile("(?i)https?:");

  /** Up to the last @, because a password may hold anything; more is hidden than need be. */
  private static final Pattern USER_INFO =
      Pattern.compile("^((?:[\\w.+-]+:)+//|(?:jdbc:)?[\\w.+-]+:|)(.*)@", Pattern.DOTALL);

  /** A parameter before an @, which may be a part of its value. */
  private static final Pattern PARAMETER_BEFORE_AT = Pattern.compile("[?&;(,][^=]*=");

  /** A text behind the colon of a server is a password unless it is a port. */
  private static final Pattern PASSWORD_WITHOUT_HOST =
      Pattern.compile(
          "^((?:[\\w.+-]+:)+//(?:(?:\\[[^]]*]|[^:/?@\\[\\],]*)(?::[0-9]{1,5})?,)*[^:/?@\\[\\],]*:)"
              + "(?![0-9]{1,5}(?:[,/?;]|$))[^?]+");

  /** The value ends where another parameter with a value begins: a password may have an &. */
  private static final Pattern PARAMETER =
      Pattern.compile("([?&;])([^=?&;]*)=([^&;]*(?:[&;][^=&;]*(?![^&;]))*)", Pattern.DOTALL);

  /**
   * As in MySQL's {@code //(host=a,password=p)/db} and Oracle's {@code (HOST=a)(PORT=1)}. The value
   * ends where another parameter begins, or with the last parenthesis before the database.
   */
  private static final Pattern PARAMETER_IN_PARENTHESES =
      Pattern.compile(
          "([(,]\\s*)([^=(),]*)=(.*?)(?=(?<![(),])[(),]++\\s*+[^=(),]++="
              + "|(?<![)\\]])[)\\]]++(?:[/?][^()\\[\\]]*+)?$|$)",
          Pattern.DOTALL);

  /** A name may be encoded to any depth, and have letters whose other case is in ASCII. */
  private static final Pattern PLAIN = Pattern.compile("[\\p{ASCII}&&[^%]]*");

  private static final Set<String> PLACES_OF_SECRETS =
      Set.of("password-env", "password-file", "sentinel-password-env", "sentinel-password-file");

  private static final Set<String> HARMLESS_IN_STORES =
      Set.of(
          "acl",
          "allow-counters",
          "allow-eviction",
          "ca-file",
          "cert-file",
          "cluster",
          "ddl",
          "key",
          "key-file",
          "may-forget",
          "replicas",
          "sentinel-user",
          "table",
          "timeout",
          "user");

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
    boolean jdbc = JDBC.matcher(address).lookingAt();
    Set<String> harmless =
        jdbc ? HARMLESS_IN_JDBC : HTTP.matcher(address).lookingAt() ? Set.of() : HARMLESS_IN_STORES;
    Matcher userInfo = USER_INFO.matcher(address);
    if (userInfo.find() && PARAMETER_BEFORE_AT.matcher(userInfo.group(2)).find()) {
      return userInfo.group(1) + "***";
    }
    String masked = userInfo.replaceFirst("$1***@");
    masked = PASSWORD_WITHOUT_HOST.matcher(masked).replaceFirst("$1***");
    masked = PARAMETER.matcher(masked).replaceAll(parameter -> hide(parameter, harmless));
    return jdbc
        ? PARAMETER_IN_PARENTHESES.matcher(masked).replaceAll(each -> hide(each, harmless))
        : masked;
  }

  private static String hide(MatchResult parameter, Set<String> harmless) {
    String name = parameter.group(2).strip().toLowerCase(Locale.ROOT);
    boolean shown =
        parameter.group(3).isEmpty()
            || (PLAIN.matcher(name).matches()
                && (PLACES_OF_SECRETS.contains(name) || harmless.contains(name)));
    return Matcher.quoteReplacement(
        shown ? parameter.group() : parameter.group(1) + parameter.group(2) + "=***");
  }
}
