package io.firn.cli;

import io.firn.IdLayout.Kind;
import io.firn.WorkerSet;
import io.firn.internal.IsoTime;
import io.firn.json.Json;
import io.firn.lease.WorkerEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import picocli.CommandLine.Help.Ansi;

/** The parts of one namespace in its stores, and where they overlap. */
final class RegionReport {

  private final String namespace;
  private final List<Region> regions;
  private final List<String> overlaps = new ArrayList<>();

  RegionReport(String namespace, List<Region> regions) {
    this.namespace = namespace;
    this.regions = List.copyOf(regions);
    for (int i = 0; i < regions.size(); i++) {
      for (Region other : regions.subList(i + 1, regions.size())) {
        compare(regions.get(i), other);
      }
      Region region = regions.get(i);
      region.strays().forEach(worker -> overlaps.add(describe(region, worker)));
    }
  }

  private void compare(Region one, Region other) {
    OptionalLong common = one.space().common(other.space());
    if (common.isPresent()) {
      overlaps.add(
          what(one, other)
              + " in "
              + one.store()
              + " and in "
              + other.store()
              + ": both can issue "
              + Long.toUnsignedString(common.getAsLong())
              + (one.isSame(other)
                  ? "; they have the same registers: one store, or a copy of it"
                  : ""));
    }
  }

  private static String what(Region one, Region other) {
    if (!one.layout().equals(other.layout())) {
      return Arguments.nameOf(one.layout()) + " and " + Arguments.nameOf(other.layout());
    }
    WorkerSet shared = one.sharedWith(other);
    return one.layout().bits(Kind.DATACENTER) == 0 ? "every worker" : "datacenter " + shared;
  }

  private static String describe(Region region, WorkerEntry worker) {
    long datacenter = worker.worker() >>> region.layout().bits(Kind.WORKER);
    return "worker "
        + worker.worker()
        + " of datacenter "
        + datacenter
        + " in "
        + region.store()
        + ": in use by "
        + worker.holder()
        + (worker.fence().equals(WorkerEntry.NEVER) ? "" : " up to " + IsoTime.utc(worker.fence()))
        + ", and not at home there";
  }

  boolean isDisjoint() {
    return overlaps.isEmpty();
  }

  String text(Ansi ansi) {
    StringBuilder text = new StringBuilder(namespace).append(": ");
    if (!isDisjoint()) {
      text.append(ansi.string("@|red not disjoint|@"));
    } else if (regions.size() == 1) {
      text.append("in one store only");
    } else {
      text.append(ansi.string("@|green disjoint|@"));
    }
    text.append('\n');
    for (Region region : regions) {
      text.append("  ").append(region.part()).append(" of ");
      text.append(Arguments.nameOf(region.layout())).append(" in ");
      text.append(region.store()).append('\n');
    }
    overlaps.forEach(overlap -> text.append("  overlap: ").append(overlap).append('\n'));
    return text.toString();
  }

  String object() {
    return Json.object(
        json ->
            json.text("namespace", namespace)
                .flag("disjoint", isDisjoint())
                .array("regions", regions, RegionReport::writeTo)
                .array(
                    "overlaps",
                    elements -> {
                      for (String overlap : overlaps) {
                        elements.element(overlap);
                      }
                    }));
  }

  private static void writeTo(Json json, Region region) throws IOException {
    json.text("store", region.store())
        .text("layout", Arguments.nameOf(region.layout()))
        .text("datacenters", region.homes().ranges().isEmpty() ? "all" : region.homes().toString());
  }
}
