package io.firn.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The routes of a server by their paths. A path may have one parameter, <code>
 * /v1/namespaces/{namespace}/ids</code>, which stands for one segment.
 */
final class Router {

  private static final List<HttpMethod> READING = List.of(HttpMethod.GET, HttpMethod.HEAD);

  /** Without HEAD, whose answer has no body: the issued ID would be lost. */
  private static final List<HttpMethod> ISSUING = List.of(HttpMethod.GET, HttpMethod.POST);

  private final Map<String, Entry> exact;
  private final List<Template> templates;
  private final Set<String> paths;

  /** Returns what answers a path without a route. */
  private final Function<String, Route> otherwise;

  Router() {
    this(new HashMap<>(), new ArrayList<>(), new TreeSet<>(), Router::notFound);
  }

  private Router(
      Map<String, Entry> exact,
      List<Template> templates,
      Set<String> paths,
      Function<String, Route> otherwise) {
    this.exact = exact;
    this.templates = templates;
    this.paths = paths;
    this.otherwise = otherwise;
  }

  private static Route notFound(String path) {
    String detail = "path: " + path + " (expected: one of those in /openapi.json)";
    return exchange -> exchange.refuse(404, detail);
  }

  /** Adds all routes of another router. */
  void addAll(Router others) {
    others.paths.forEach(this::addPath);
    exact.putAll(others.exact);
    templates.addAll(others.templates);
  }

  /** Returns a router of these routes that has another one for all other paths. */
  Router withOthers(Route others) {
    return new Router(exact, templates, paths, path -> others);
  }

  /**
   * The resource that a request asks for.
   *
   * @param route answers the request, or says why it cannot be answered
   * @param parameter the name of the path's parameter; empty if it has none
   * @param value the segment in the parameter's place, as written in the path
   * @param type the type of the answer
   * @param measured whether the request is among those whose times are measured
   */
  record Match(Route route, String parameter, String value, String type, boolean measured) {

    static Match refused(Route refusal) {
      return new Match(refusal, "", "", Problem.TYPE, true);
    }
  }

  /**
   * A route.
   *
   * @param types the types of its answers, the first for a client that does not care
   * @param postTypes the same, for a request by POST
   * @param measured whether its requests are among those whose times are measured
   */
  private record Entry(
      Route route,
      List<HttpMethod> methods,
      List<String> types,
      List<String> postTypes,
      boolean measured) {

    Match match(HttpRequest request, String parameter, String value) {
      if (!methods.contains(request.method())) {
        String allowed = String.join(", ", methods.stream().map(HttpMethod::name).toList());
        return Match.refused(exchange -> exchange.refuseMethod(allowed));
      }
      String accept = RequestHeaders.list(request.headers(), HttpHeaderNames.ACCEPT);
      List<String> offered = request.method().equals(HttpMethod.POST) ? postTypes : types;
      if (accept.isBlank()
          || offered.size() == 1) { // some clients ask for the type of problems only
        return new Match(route, parameter, value, offered.get(0), measured);
      }
      return Accept.best(accept, offered)
          .map(type -> new Match(route, parameter, value, type, measured))
          .orElseGet(
              () -> {
                String detail =
                    "accept: " + accept + " (expected: " + String.join(", ", offered) + ")";
                return Match.refused(exchange -> exchange.refuse(406, detail));
              });
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
    add(path, new Entry(route, READING, List.of(types), List.of(), true));
  }

  /** Adds a route of the console, whose requests are not measured: it asks all the time. */
  void addUnmeasured(String path, Route route, String... types) {
    add(path, new Entry(route, READING, List.of(types), List.of(), false));
  }

  /** Adds a route that issues, by GET and by POST with an empty body. */
  void addIssuing(String path, Route route, String... types) {
    add(path, new Entry(route, ISSUING, List.of(types), List.of(types), true));
  }

  /**
   * Adds a route that issues, with text and JSON: a client that does not care gets lines of text by
   * GET, as people and scripts like it, and JSON by POST, as programs do.
   */
  void addIssuing(String path, Route route) {
    List<String> json = List.of(MediaType.JSON, MediaType.TEXT);
    add(path, new Entry(route, ISSUING, List.of(MediaType.TEXT, MediaType.JSON), json, true));
  }

  /** Adds a route that shows something by GET, and changes it by POST with an empty body. */
  void addWithPost(String path, Route shows, Route changes, String type) {
    Route route = exchange -> (exchange.isPost() ? changes : shows).answer(exchange);
    List<HttpMethod> methods = List.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST);
    add(path, new Entry(route, methods, List.of(type), List.of(type), true));
  }

  /** Adds a route that changes something, and so takes POST only. */
  void addPost(String path, Route route, String... types) {
    add(path, new Entry(route, List.of(HttpMethod.POST), List.of(), List.of(types), true));
  }

  private void add(String path, Entry entry) {
    addPath(path);
    if (path.indexOf('{') < 0) {
      exact.put(path, entry);
    } else {
      templates.add(Template.of(path, entry));
    }
  }

  private void addPath(String path) {
    if (!paths.add(path)) {
      throw new IllegalArgumentException("path: " + path + " (expected: one that is not routed)");
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
    return Match.refused(otherwise.apply(path));
  }
}
