package io.firn.benchmarks;

import io.firn.benchmarks.LineChart.Curve;
import io.firn.benchmarks.LineChart.Point;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The growth of the cost of leases: with the worker IDs that are leased, with the processes of a
 * fleet, with the generators of one JVM. Measures in memory, or in the stores whose addresses are
 * given; it writes namespaces that begin with {@value Occupancy#PREFIX} there and leaves them
 * behind.
 */
final class Scale {

  private static final String MEMORY = "memory:";

  /** Powers of two: the worker IDs of a namespace. */
  private static final int LARGEST_BITS = 20;

  private static final int LARGEST_BITS_ELSEWHERE = 16;
  private static final int LARGEST_QUICK_BITS = 12;

  private static final List<Integer> FLEETS = List.of(1, 10, 100, 1_000, 10_000);
  private static final int LARGEST_QUICK_FLEET = 1_000;

  private static final String LEASED = "leased workers";
  private static final String PROCESSES = "processes";

  /** The charts, in the order of the page. */
  enum Figure {
    HALF("Acquire while half of the workers are leased", LEASED, "median, ms"),
    LAST("Acquire the last free worker", LEASED, "median, ms"),
    CALLS("Store calls of an acquisition", LEASED, "calls, mean"),
    CENSUS("Census", "registers", "list of all workers, ms"),
    OPERATIONS("Store operations of a fleet", PROCESSES, "operations a second"),
    SERVER("CPU of the store", PROCESSES, "cores busy in the server"),
    CLIENTS("CPU of the fleet", PROCESSES, "cores busy in all processes together"),
    JVM("Generators in one JVM", "generators", "KB of heap for each, and threads of the JVM");

    private final String title;
    private final String x;
    private final String y;

    Figure(String title, String x, String y) {
      this.title = title;
      this.x = x;
      this.y = y;
    }
  }

  /** The settings of a run. */
  record Request(
      boolean quick,
      List<String> stores,
      Optional<Path> json,
      Optional<Path> svg,
      Optional<Path> from) {

    /**
     * Reads a command line.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Request parse(String... arguments) {
      boolean quick = false;
      List<String> stores = new ArrayList<>();
      Map<String, Path> files = new LinkedHashMap<>();
      for (int i = 0; i < arguments.length; i++) {
        switch (arguments[i]) {
          case "--quick" -> quick = true;
          case "--store" -> stores.add(Arguments.value(arguments, ++i));
          case "--json", "--svg", "--from" ->
              files.put(arguments[i], Path.of(Arguments.value(arguments, ++i)));
          default ->
              throw new IllegalArgumentException(
                  "argument: "
                      + arguments[i]
                      + " (expected: --quick, --store, --json, --svg or --from)");
        }
      }
      if (files.containsKey("--from")
          && (quick || !stores.isEmpty() || files.containsKey("--json"))) {
        throw new IllegalArgumentException(
            "from: "
                + files.get("--from")
                + " (expected: alone or with --svg, it measures nothing)");
      }
      return new Request(
          quick,
          List.copyOf(stores),
          Optional.ofNullable(files.get("--json")),
          Optional.ofNullable(files.get("--svg")),
          Optional.ofNullable(files.get("--from")));
    }

    /** Returns the largest namespace of a store, in bits of worker. */
    int bits(String store) {
      boolean large = store.equals(MEMORY) || store.startsWith("jdbc:");
      int bits = large ? LARGEST_BITS : LARGEST_BITS_ELSEWHERE;
      return quick ? Math.min(bits, LARGEST_QUICK_BITS) : bits;
    }

    /** Returns the sizes of fleets; one process shows what a generator needs in memory. */
    List<Integer> fleets(String store) {
      return FLEETS.stream()
          .filter(size -> size > 1 || store.equals(MEMORY))
          .filter(size -> !quick || size <= LARGEST_QUICK_FLEET)
          .toList();
    }
  }

  private final Request request;
  private final Map<Figure, Map<String, List<Point>>> points = new LinkedHashMap<>();
  private final List<String> limits = new ArrayList<>();
  private final Instant begin = Instant.now().truncatedTo(ChronoUnit.SECONDS);
  private final Machine machine = Machine.now();

  private Scale(Request request) {
    this.request = request;
    for (Figure figure : Figure.values()) {
      points.put(figure, new LinkedHashMap<>());
    }
  }

  static void run(PrintStream out, String... arguments) throws IOException {
    Request request = Request.parse(arguments);
    Figures figures =
        request.from().isPresent()
            ? Figures.parse(Files.readString(request.from().get()))
            : measured(request);
    out.print(figures.markdown("../images/"));
    if (request.svg().isPresent()) {
      for (LineChart chart : figures.charts()) {
        Files.writeString(request.svg().get().resolve(Figures.fileName(chart)), chart.svg());
      }
    }
    if (request.json().isPresent() && request.from().isEmpty()) {
      Files.writeString(request.json().get(), figures.json());
    }
  }

  private static Figures measured(Request request) {
    OutputFile.requireWritable("json", request.json());
    OutputFile.requireWritableDirectory("svg", request.svg());
    return new Scale(request).measure();
  }

  private Figures measure() {
    List<String> stores = request.stores().isEmpty() ? List.of(MEMORY) : request.stores();
    // What is lost is counted; thousands of leases would each write a line.
    Logger.getLogger("io.firn").setLevel(Level.OFF);
    for (String address : stores) {
      try (RegisterStore store = open(withTimeout(address))) {
        occupy(store, address);
      }
      try (RegisterStore store = open(address)) {
        grow(store, address);
      }
    }
    return figures();
  }

  /**
   * Keeps what was measured until now. What cannot be kept yet is written, or fails, in the end.
   */
  private void save() {
    if (request.json().isPresent()) {
      try {
        Files.writeString(request.json().get(), figures().json());
      } catch (IOException e) {
        System.err.println("not kept yet: " + e.getMessage());
      }
    }
  }

  private Figures figures() {
    return new Figures(
        "./firn bench scale" + (request.quick() ? " --quick" : ""),
        begin,
        machine,
        charts(),
        List.copyOf(limits));
  }

  private static RegisterStore open(String address) {
    return address.equals(MEMORY) ? new InMemoryRegisterStore() : RegisterStore.open(address);
  }

  /** Lets a scan take longer than the default, which ends it in a large namespace. */
  private static String withTimeout(String address) {
    boolean local = address.equals(MEMORY) || address.startsWith("file:");
    return local ? address : address + (address.contains("?") ? "&" : "?") + "timeout=60s";
  }

  private void occupy(RegisterStore store, String address) {
    String name = name(address);
    for (int bits = 1; bits <= request.bits(address); bits += bits < 16 ? 3 : 4) {
      System.err.printf("%s: %,d worker IDs%n", name, 1 << bits);
      try {
        Occupancy.Costs costs = Occupancy.measure(store, address, bits);
        int workers = 1 << bits;
        int half = workers / 2;
        add(Figure.HALF, name, half, costs.half().millis());
        add(Figure.LAST, name, workers - 1, costs.last().millis());
        add(Figure.CALLS, name + ", half", half, costs.half().calls());
        add(Figure.CALLS, name + ", last", workers - 1, costs.last().calls());
        add(Figure.CENSUS, name, workers, costs.census().millis());
        save();
      } catch (RuntimeException e) {
        limit(name + " ended at " + (1 << bits) + " worker IDs", e);
        return;
      }
    }
  }

  private void grow(RegisterStore store, String address) {
    String name = name(address);
    Optional<ServerCpu> server = ServerCpu.of(address);
    for (int size : request.fleets(address)) {
      System.err.printf("%s: a fleet of %,d%n", name, size);
      try {
        Fleet.Costs costs = Fleet.measure(store, size, server);
        add(Figure.OPERATIONS, name, size, costs.operationsPerSecond());
        add(Figure.SERVER, name, size, costs.serverCores());
        add(Figure.CLIENTS, name, size, costs.clientCores());
        if (address.equals(MEMORY)) {
          add(Figure.JVM, "KB of heap each", size, costs.heapBytesEach() / 1024);
          add(Figure.JVM, "threads", size, costs.threads());
        }
        if (costs.lost() > 0) {
          limits.add(
              name + ": " + costs.lost() + " of " + size + " leases were not renewed in time");
        }
        save();
      } catch (RuntimeException e) {
        limit(name + " ended at a fleet of " + size, e);
        return;
      }
    }
  }

  private void limit(String what, RuntimeException e) {
    limits.add(what + ": " + e.getMessage());
    System.err.println(limits.get(limits.size() - 1));
    save();
  }

  /** Adds a point, unless it was too little to be measured. */
  private void add(Figure figure, String curve, double x, double y) {
    if (y > 0) {
      Objects.requireNonNull(points.get(figure))
          .computeIfAbsent(curve, any -> new ArrayList<>())
          .add(new Point(x, y));
    }
  }

  private List<LineChart> charts() {
    List<LineChart> charts = new ArrayList<>();
    points.forEach(
        (figure, curves) -> {
          List<Curve> drawn = new ArrayList<>();
          curves.forEach((name, each) -> drawn.add(new Curve(name, List.copyOf(each))));
          if (!drawn.isEmpty()) {
            charts.add(new LineChart(figure.title, figure.x, figure.y, drawn));
          }
        });
    return charts;
  }

  /** Returns the product behind an address. */
  static String name(String address) {
    String kind = address.replaceFirst("^jdbc:", "").replaceFirst(":.*", "");
    return switch (kind) {
      case "redis", "rediss" -> "Redis";
      case "postgresql" -> "PostgreSQL";
      case "mariadb" -> "MariaDB";
      case "mysql" -> "MySQL";
      case "zookeeper" -> "ZooKeeper";
      default -> kind;
    };
  }
}
