package io.firn.server.http;

import io.firn.IdLayout;
import io.firn.internal.IsoTime;
import io.firn.json.Json;
import io.firn.json.LayoutChangeJson;
import io.firn.lease.LayoutChange.Plan;
import io.firn.server.NamespaceEvents;
import io.firn.server.NamespaceEvents.Kind;
import io.firn.server.NamespaceStatus;
import io.firn.server.SegmentStatus;
import io.firn.server.SnowflakeStatus;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The warnings for an operator: one warning for each cause, however many namespaces it has to do
 * with. A warning of a state ends with it, one of an event after ten minutes.
 */
final class Warnings {

  private static final Duration SHOWN = Duration.ofMinutes(10);
  private static final Duration SOON = Duration.ofDays(5 * 365);
  private static final int MOST_DETAILS = 8;
  private static final int MOST_NAMES = 3;

  private final Optional<String> outage;
  private final List<NamespaceStatus> statuses;
  private final List<LayoutChangeJson> changes;
  private final Instant now;
  private final List<Warning> warnings = new ArrayList<>();

  /**
   * A warning.
   *
   * @param key the cause
   * @param level bad if IDs are not issued, low otherwise
   * @param text the warning
   * @param details the same for each namespace, where there are several
   * @param occurrence the identity of an occurrence, if it can be dismissed
   */
  private record Warning(
      String key, String level, String text, List<String> details, Optional<String> occurrence) {}

  Warnings(
      Optional<String> outage,
      List<NamespaceStatus> statuses,
      List<LayoutChangeJson> changes,
      Instant now) {
    this.outage = outage;
    this.statuses = statuses;
    this.changes = changes;
    this.now = now;
    stopped();
    late();
    doubted();
    happened(Kind.LOST, "lost its lease", "lost their leases");
    happened(Kind.CLOCK_STEPPED, "the clock stepped back", "found that the clock stepped back");
    emptied();
    ending();
    proposed();
    left();
  }

  /** Returns all warnings, as elements of an array. */
  Json.Content all() {
    return array -> {
      for (Warning each : warnings) {
        array.element(json -> members(json, each));
      }
    };
  }

  private static void members(Json json, Warning warning) throws IOException {
    json.text("key", warning.key())
        .text("level", warning.level())
        .text("text", warning.text())
        .text("occurrence", warning.occurrence())
        .array(
            "details",
            details -> {
              for (String detail : warning.details()) {
                details.element(detail);
              }
            });
  }

  /** Adds a warning of some namespaces, each with its text. */
  private void add(
      String key,
      String level,
      Map<String, String> found,
      String several,
      Optional<String> occurrence) {
    if (found.size() == 1) {
      String text = found.values().iterator().next();
      warnings.add(new Warning(key, level, text, List.of(), occurrence));
    } else if (!found.isEmpty()) {
      List<String> details = new ArrayList<>(found.values());
      List<String> shown =
          new ArrayList<>(details.subList(0, Math.min(MOST_DETAILS, found.size())));
      if (details.size() > shown.size()) {
        shown.add("… and " + (details.size() - shown.size()) + " more");
      }
      warnings.add(new Warning(key, level, several, shown, occurrence));
    }
  }

  private static String names(Map<String, String> found) {
    List<String> names = new ArrayList<>(found.keySet());
    return names.size() <= MOST_NAMES
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, MOST_NAMES))
            + " and "
            + (names.size() - MOST_NAMES)
            + " more";
  }

  private void stopped() {
    Map<String, String> found = new LinkedHashMap<>();
    for (NamespaceStatus status : statuses) {
      status
          .outage()
          .ifPresent(
              why ->
                  found.put(
                      status.name(),
                      outage.isPresent()
                          ? "Not ready. " + why
                          : status.name() + " issues no IDs. " + why));
    }
    if (found.isEmpty()) {
      outage.ifPresent(why -> found.put("", "Not ready. " + why));
    }
    String some =
        found.size() + " of " + statuses.size() + " namespaces issue no IDs: " + names(found);
    if (found.size() > 1) {
      found.replaceAll((name, text) -> text.replaceFirst("^Not ready\\. ", ""));
    }
    add(
        "stopped",
        "bad",
        found,
        (outage.isPresent() ? "Not ready. " : "") + some + "." + cause(found.keySet()),
        Optional.empty());
  }

  /** Returns the last error of the first of some namespaces that has one. */
  private String cause(Set<String> names) {
    return statuses.stream()
        .filter(status -> names.contains(status.name()))
        .flatMap(status -> lastError(status).stream())
        .findFirst()
        .map(error -> " Last error: " + error)
        .orElse("");
  }

  private static Optional<String> lastError(NamespaceStatus status) {
    if (status instanceof SnowflakeStatus open) {
      return open.lease().problem();
    }
    return status instanceof SegmentStatus open ? open.stats().lastError() : Optional.empty();
  }

  /** Returns an instant without its milliseconds, which are of no use to an operator. */
  private static String second(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** Leases and segments that are still good, and that the store does not extend. */
  private void late() {
    Map<String, String> found = new LinkedHashMap<>();
    Instant first = Instant.MAX;
    for (NamespaceStatus status : statuses) {
      if (status.outage().isPresent()) {
        continue;
      }
      if (status instanceof SnowflakeStatus open && open.lease().lastError().isPresent()) {
        Instant fence = open.lease().fence();
        first = fence.isBefore(first) ? fence : first;
        found.put(
            status.name(),
            status.name()
                + ": the lease of worker "
                + open.lease().worker()
                + " is not renewed; without that, IDs end at "
                + second(fence)
                + ". "
                + open.lease().lastError().get());
      } else if (status instanceof SegmentStatus open && open.stats().lastError().isPresent()) {
        found.put(
            status.name(),
            status.name()
                + ": no new segment, "
                + open.stats().source()
                + " does not provide one. "
                + open.stats().lastError().get());
      }
    }
    String until =
        first.equals(Instant.MAX) ? "" : "; without that, the first end at " + second(first);
    add(
        "late",
        "low",
        found,
        found.size()
            + " namespaces are not renewed by the store"
            + until
            + ": "
            + names(found)
            + ".",
        Optional.empty());
  }

  /** Leases that are renewed without the clock of this host, which is far from the store's. */
  private void doubted() {
    Map<String, String> found = new LinkedHashMap<>();
    for (NamespaceStatus status : statuses) {
      if (status.outage().isEmpty() && status instanceof SnowflakeStatus open) {
        open.lease()
            .clockDoubt()
            .ifPresent(
                doubt ->
                    found.put(
                        status.name(),
                        status.name()
                            + ": its lease does not follow the clock of this host. "
                            + doubt));
      }
    }
    add(
        "clock",
        "low",
        found,
        found.size() + " namespaces do not follow the clock of this host: " + names(found) + ".",
        Optional.empty());
  }

  private void happened(Kind kind, String one, String several) {
    Map<String, String> found = new LinkedHashMap<>();
    List<Instant> times = new ArrayList<>();
    for (NamespaceStatus status : statuses) {
      if (status instanceof SnowflakeStatus open) {
        List<NamespaceEvents.Event> events =
            open.events().newest().stream()
                .filter(event -> event.kind() == kind && event.last().isAfter(now.minus(SHOWN)))
                .toList();
        if (!events.isEmpty()) {
          events.forEach(event -> times.add(event.last()));
          long count = events.stream().mapToLong(NamespaceEvents.Event::times).sum();
          found.put(
              status.name(),
              status.name()
                  + ": "
                  + one
                  + " "
                  + times(count)
                  + (kind == Kind.LOST ? ", has worker " + open.lease().worker() + " now." : "."));
        }
      }
    }
    add(
        kind.name(),
        "low",
        found,
        found.size() + " namespaces " + several + ": " + names(found) + ".",
        times.stream().max(Comparator.naturalOrder()).map(Instant::toString));
  }

  private static String times(long count) {
    return count == 1 ? "once" : count + " times";
  }

  private void emptied() {
    Map<String, String> found = new LinkedHashMap<>();
    long waits = 0;
    for (NamespaceStatus status : statuses) {
      if (status instanceof SegmentStatus open && open.stats().waits() > 0) {
        waits += open.stats().waits();
        found.put(
            status.name(),
            status.name()
                + " ran out of numbers: requests waited for a segment "
                + times(open.stats().waits())
                + ".");
      }
    }
    add(
        "emptied",
        "low",
        found,
        found.size() + " namespaces ran out of numbers: " + names(found) + ".",
        Optional.of(Long.toString(waits)));
  }

  private void proposed() {
    Map<String, String> found = new LinkedHashMap<>();
    for (LayoutChangeJson change : changes) {
      if (!change.plan().fixed()) {
        found.put(change.namespace(), change.namespace() + ": " + proposal(change.plan()) + ".");
      }
    }
    add(
        "proposed",
        "low",
        found,
        "The changes of layout of "
            + found.size()
            + " namespaces were not completed, and all processes stop then: "
            + names(found)
            + ".",
        Optional.empty());
  }

  private static String proposal(Plan plan) {
    return "its change to layout "
        + LayoutChangeJson.nameOf(plan.to())
        + " was not completed, and all processes stop at "
        + IsoTime.utc(plan.at())
        + "; firn layout change completes it, firn layout cancel calls it off";
  }

  /** Adds the namespaces whose next layout this server was not given. */
  private void left() {
    Map<String, String> found = new LinkedHashMap<>();
    for (NamespaceStatus status : statuses) {
      changes.stream()
          .filter(change -> change.namespace().equals(status.name()))
          .filter(change -> change.plan().fixed() && now.isBefore(change.plan().at()))
          .filter(change -> !FleetRoutes.follows(status, change))
          .forEach(change -> found.put(status.name(), status.name() + ": " + stop(change.plan())));
    }
    add(
        "left",
        "low",
        found,
        found.size()
            + " namespaces change their layouts, and this server stops issuing their IDs then,"
            + " without that next-layout: "
            + names(found)
            + ".",
        Optional.empty());
  }

  private static String stop(Plan plan) {
    return "its layout changes to "
        + LayoutChangeJson.nameOf(plan.to())
        + " at "
        + IsoTime.utc(plan.at())
        + ", and this server stops issuing its IDs then, without that as next-layout.";
  }

  private void ending() {
    Map<String, String> found = new LinkedHashMap<>();
    for (NamespaceStatus status : statuses) {
      IdLayout layout = status.idLayout().orElse(null);
      if (layout != null) {
        Duration left = Duration.between(now, layout.positiveUntil());
        if (left.compareTo(SOON) < 0) {
          found.put(
              status.name(),
              status.name()
                  + ": its layout runs out on "
                  + IsoTime.utc(layout.positiveUntil()).substring(0, 10)
                  + ", in "
                  + left.toDays()
                  + " days.");
        }
      }
    }
    add(
        "ending",
        "low",
        found,
        "The layouts of "
            + found.size()
            + " namespaces run out within five years: "
            + names(found)
            + ".",
        Optional.empty());
  }
}
