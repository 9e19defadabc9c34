package io.firn.server.http;

import io.netty.handler.codec.http.HttpMethod;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the route of a path: one that is the path, or one that ends in <code>{name}</code> and
 * begins like it. What stands in place of the name is the exchange's {@link HttpExchange#rest}.
 */
final class Router {

  private static final List<HttpMethod> READING = List.of(HttpMethod.GET, HttpMethod.HEAD);
  private static final List<HttpMethod> ALSO_POST =
      List.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST);

  private final Map<String, Entry> exact = new HashMap<>();
  private final Map<String, Entry> prefixes = new HashMap<>();
  private final Set<String> paths = new TreeSet<>();

  private record Entry(Route route, List<HttpMethod> methods, List<String> types) {}

  /**
   * Adds a route: {@code /livez}, or <code>/v1/ids/{namespace}</code>.
   *
   * @param types what its answers may be, the first unless the client would rather have another
   */
  Router add(String path, Route route, String... types) {
    return add(path, new Entry(route, READING, List.of(types)));
  }

  /** Adds a route that may be posted to as well, with nothing in the body. */
  Router addWithPost(String path, Route route, String... types) {
    return add(path, new Entry(route, ALSO_POST, List.of(types)));
  }

  private Router add(String path, Entry entry) {
    int brace = path.indexOf('{');
    Entry before =
        brace < 0 ? exact.put(path, entry) : prefixes.put(path.substring(0, brace), entry);
    if (before != null) {
      throw new IllegalArgumentException("path: " + path + " (expected: one that is not routed)");
    }
    paths.add(path);
    return this;
  }

  /** All paths, as they were added. */
  Set<String> paths() {
    return paths;
  }

  void answer(HttpMethod method, String path, HttpExchange exchange) {
    Entry entry = find(path, exchange);
    if (entry == null) {
      exchange.refuse(404, "path: " + path + " (expected: one of those in /openapi.json)");
    } else if (!entry.methods.contains(method)) {
      String allowed = String.join(", ", entry.methods.stream().map(HttpMethod::name).toList());
      exchange.refuseMethod(allowed);
    } else {
      answer(entry, exchange);
    }
  }

  private @Nullable Entry find(String path, HttpExchange exchange) {
    Entry entry = exact.get(path);
    if (entry != null) {
      return entry;
    }
    int slash = path.lastIndexOf('/') + 1;
    if (slash < path.length()) {
      exchange.rest(path.substring(slash));
      return prefixes.get(path.substring(0, slash));
    }
    return null;
  }

  private static void answer(Entry entry, HttpExchange exchange) {
    Optional<String> accept = exchange.accept();
    Optional<String> type =
        accept.isEmpty() ? Optional.of(entry.types.get(0)) : Accept.best(accept.get(), entry.types);
    if (type.isEmpty()) {
      String types = String.join(", ", entry.types);
      exchange.refuse(406, "accept: " + accept.orElse("") + " (expected: " + types + ")");
    } else {
      exchange.type(type.get());
      entry.route.answer(exchange);
    }
  }
}
