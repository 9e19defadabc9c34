package io.firn.server.http;

import io.firn.server.RequestException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import io.netty.util.NetUtil;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The check of the origin of a request without a token. A web page can have a browser send requests
 * to any server that the browser reaches, and can have a name of its own resolve to the address of
 * that server to read the answers.
 */
final class Origin {

  /** The header in which a browser says whose page sent the request. */
  static final CharSequence SITE = AsciiString.cached("sec-fetch-site");

  private static final String ANY = "*";
  private static final String SCHEME_END = "://";

  private Origin() {}

  /**
   * Checks that a request is not one that a foreign web page had a browser send.
   *
   * @throws RequestException if it is
   */
  static void check(HttpHeaders headers, List<String> hosts) {
    List<String> sites = headers.getAll(SITE);
    if (sites.stream().anyMatch(Origin::namesAnotherSite)) {
      throw new RequestException(
          RequestException.Kind.FORBIDDEN,
          "sec-fetch-site: cross-site (expected: same-origin, or a token)");
    }
    String host = headers.get(HttpHeaderNames.HOST);
    if (host != null && !hosts.contains(ANY) && !isKnown(name(host), hosts)) {
      throw new RequestException(
          RequestException.Kind.FORBIDDEN,
          "host: "
              + host
              + " (expected: an IP address, or one of the setting hosts: "
              + String.join(", ", hosts)
              + ")");
    }
    if (headers.contains(HttpHeaderNames.ORIGIN) && sites.stream().allMatch(String::isBlank)) {
      for (String origin : headers.getAll(HttpHeaderNames.ORIGIN)) {
        if (!isOwn(origin, host, hosts)) {
          throw new RequestException(
              RequestException.Kind.FORBIDDEN,
              "origin: "
                  + origin
                  + " (expected: that of the request's host, a name of the setting hosts, or a"
                  + " token)");
        }
      }
    }
  }

  /**
   * Returns whether an origin is this server. Browsers without {@code Sec-Fetch-Site}, which they
   * also leave out where there is no TLS, send an origin with what a page requests elsewhere.
   */
  private static boolean isOwn(String origin, @Nullable String host, List<String> hosts) {
    int scheme = origin.indexOf(SCHEME_END);
    if (scheme < 0) {
      return false;
    }
    String authority = origin.substring(scheme + SCHEME_END.length());
    return authority.equalsIgnoreCase(host) || hosts.contains(name(authority));
  }

  private static boolean namesAnotherSite(String site) {
    return site.toLowerCase(Locale.ROOT).contains("cross-site");
  }

  private static boolean isKnown(String name, List<String> hosts) {
    return hosts.contains(name)
        || NetUtil.isValidIpV4Address(name)
        || NetUtil.isValidIpV6Address(name);
  }

  /** Returns the host without its port and the brackets of IPv6. */
  private static String name(String host) {
    int end = host.startsWith("[") ? host.indexOf(']') : host.indexOf(':');
    String name = end < 0 ? host : host.substring(0, end);
    return name.replace("[", "").toLowerCase(Locale.ROOT);
  }
}
