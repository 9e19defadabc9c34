package io.firn.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The routes of a server by their paths. A path may have one parameter, <code>
 * /v1/namespaces/{namespace}/ids</code>, which stands for one segment.
 */
final class Router {

  private static final List<HttpMethod> READING = List.of(HttpMethod.GET, HttpMethod.HEAD);
  private static final List<HttpMethod> ALSO_POST =
      List.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST);

  private final Map<String, Entry> exact = new HashMap<>();
  private final List<Template> templates = new ArrayList<>();
  private final Set<String> paths = new TreeSet<>();

  /**
   * What a request asks for.
   *
   * @param route answers the request, or says why it cannot be answered
   * @param parameter the name of the path's parameter; empty if it has none
   * @param value the segment in the parameter's place, as it stands in the path
   * @param type the type of the answer
   */
  record Match(Route route, String parameter, String value, String type) {

    static Match refused(Route refusal) {
      return new Match(refusal, "", "", Problem.TYPE);
    }
  }

  private record Entry(Route route, List<HttpMethod> methods, List<String> types) {

    Match match(HttpRequest request, String parameter, String value) {
      if (!methods.contains(request.method())) {
        String allowed = String.join(", ", methods.stream().map(HttpMethod::name).toList());
        return Match.refused(exchange -> exchange.refuseMethod(allowed));
      }
      Optional<String> accept = Optional.ofNullable(request.headers().get(HttpHeaderNames.ACCEPT));
      Optional<String> type =
          accept.isEmpty() ? Optional.of(types.get(0)) : Accept.best(accept.get(), types);
      if (type.isEmpty()) {
        String detail =
            "accept: " + accept.orElse("") + " (expected: " + String.join(", ", types) + ")";
        return Match.refused(exchange -> exchange.refuse(406, detail));
      }
      return new Match(route, parameter, value, type.get());
    }
  }

  private record Template(String before, String parameter, String after, Entry entry) {

    static Template of(String path, Entry entry) {
      int open = path.indexOf('{');
      int close = path.indexOf('}');
      return new Template(
          path.substring(0, open),
          path.substring(open + 1, close),
          path.substring(close + 1),
          entry);
    }

    /** Returns the segment in the parameter's place; null if the path is another. */
    @Nullable String value(String path) {
      int end = path.length() - after.length();
      if (end <= before.length() || !path.startsWith(before) || !path.endsWith(after)) {
        return null;
      }
      String value = path.substring(before.length(), end);
      return value.indexOf('/') < 0 ? value : null;
    }
  }

  /**
   * Adds a route.
   *
   * @param types the types of its answers; the first unless the client prefers another
   */
  void add(String path, Route route, String... types) {
    add(path, new Entry(route, READING, List.of(types)));
  }

  /** Adds a route that takes POST as well, with an empty body. */
  void addWithPost(String path, Route route, String... types) {
    add(path, new Entry(route, ALSO_POST, List.of(types)));
  }

  /** Adds a route that changes something, and so takes POST only, with an empty body. */
  void addPost(String path, Route route, String... types) {
    add(path, new Entry(route, List.of(HttpMethod.POST), List.of(types)));
  }

  private void add(String path, Entry entry) {
    if (!paths.add(path)) {
      throw new IllegalArgumentException("path: " + path + " (expected: one that is not routed)");
    }
    if (path.indexOf('{') < 0) {
      exact.put(path, entry);
    } else {
      templates.add(Template.of(path, entry));
    }
  }

  /** Returns all paths, as they were added. */
  Set<String> paths() {
    return paths;
  }

  /** Returns what a request asks for. */
  Match match(HttpRequest request) {
    String uri = request.uri();
    int end = uri.indexOf('?');
    String path = end < 0 ? uri : uri.substring(0, end);
    Entry entry = exact.get(path);
    if (entry != null) {
      return entry.match(request, "", "");
    }
    for (Template template : templates) {
      String value = template.value(path);
      if (value != null) {
        return template.entry.match(request, template.parameter, value);
      }
    }
    String detail = "path: " + path + " (expected: one of those in /openapi.json)";
    return Match.refused(exchange -> exchange.refuse(404, detail));
  }
}
