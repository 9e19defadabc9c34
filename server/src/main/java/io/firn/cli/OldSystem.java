package io.firn.cli;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.zookeeper.ZooKeeperNodes;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A system whose processes have worker numbers, and where it keeps them. */
enum OldSystem {

  /** Leaf: a node of ZooKeeper for each server, whose number ends its name. They stay. */
  LEAF("Leaf", "leaf", "leaf.name of its configuration") {
    @Override
    WorkerSet read(String source, String group) {
      return WorkerSet.of(
          ZooKeeperNodes.children(source, "/snowflake/" + group + "/forever").keySet().stream()
              .mapToLong(
                  node -> OldStores.number(source, node.substring(node.lastIndexOf('-') + 1))));
    }
  },

  /**
   * Twitter's service: a server takes the lowest number that is free in its datacenter when it
   * starts, and its node goes when it ends. So all of a datacenter count.
   */
  TWITTER("Twitter's Snowflake", "twitter", null) {
    @Override
    WorkerSet read(String source, String group) {
      List<WorkerSet.Range> workers =
          Arguments.workers(source).stream()
              .mapToObj(center -> new WorkerSet.Range(center << 5, (center << 5) + 31))
              .toList();
      return WorkerSet.of(workers);
    }
  },

  /** CosId: a row, a field or a node for each machine of a namespace. */
  COSID("CosId", "cosid", "CosId's namespace") {
    @Override
    WorkerSet read(String source, String group) {
      if (source.startsWith("redis")) {
        return upTo(
            OldStores.get(source, "cosid:{" + group + "}:adder").stream()
                .mapToLong(last -> OldStores.number(source, last)));
      }
      if (!source.startsWith("zookeeper")) {
        return OldStores.query(
            source, "select machine_id from cosid_machine where namespace = ?", group);
      }
      String root = "/cosid/" + group;
      LongStream used =
          ZooKeeperNodes.children(source, root + "/__itc_idx").values().stream()
              .mapToLong(state -> OldStores.number(source, state.split("[|]", -1)[0]));
      LongStream returned =
          ZooKeeperNodes.children(source, root + "/__revert").keySet().stream()
              .mapToLong(machine -> OldStores.number(source, machine));
      return upTo(LongStream.concat(used, returned));
    }

    /**
     * Returns all up to the largest. CosId counts from 0, and a machine that is given back or taken
     * again has no node for a moment.
     */
    private WorkerSet upTo(LongStream machines) {
      long last = machines.max().orElse(-1);
      return WorkerSet.of(last < 0 ? List.of() : List.of(new WorkerSet.Range(0, last)));
    }
  },

  /**
   * Baidu's UidGenerator: a row of {@code WORKER_NODE} for each start of a process. Its layout has
   * run out, so one that still runs has another.
   */
  UID_GENERATOR("UidGenerator", null, null) {
    @Override
    WorkerSet read(String source, String group) {
      return OldStores.query(source, "select ID from WORKER_NODE", "");
    }
  },

  /** Worker numbers that are known, as from configuration files. */
  LIST("an old system", null, null) {
    @Override
    WorkerSet read(String source, String group) {
      return Arguments.workers(source);
    }
  };

  private static final Pattern GROUP = Pattern.compile("[A-Za-z0-9._:@-]{1,100}");

  private final String title;
  private final @Nullable String layout;
  private final @Nullable String groupMeaning;

  OldSystem(String title, @Nullable String layout, @Nullable String groupMeaning) {
    this.title = title;
    this.layout = layout;
    this.groupMeaning = groupMeaning;
  }

  /** Reads the worker numbers that it has given out. */
  abstract WorkerSet read(String source, String group);

  /**
   * Returns the worker numbers that it has given out.
   *
   * @param group whose, where it has several
   * @throws BadInput if a group is missing, or is given to a system without groups
   */
  WorkerSet workers(String source, @Nullable String group) {
    if (groupMeaning == null && group != null) {
      throw new BadInput("group: " + group + " (expected: none, " + this + " has no groups)");
    }
    if (groupMeaning != null && group == null) {
      throw new BadInput("group: not set (expected: " + groupMeaning + ", with --group)");
    }
    if (group != null && !GROUP.matcher(group).matches()) {
      throw new BadInput("group: " + group + " (expected: A-Z a-z 0-9 . _ : @ -, at most 100)");
    }
    return read(source, group == null ? "" : group);
  }

  /** Returns its name for people. */
  String title() {
    return title;
  }

  /** Returns the layout that it has unless it is configured. */
  Optional<IdLayout> layout() {
    return Optional.ofNullable(layout).map(IdLayout::of);
  }

  /** Returns its name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static OldSystem of(String text) {
    return Arrays.stream(values())
        .filter(system -> system.toString().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "system: "
                        + text
                        + " (expected: one of "
                        + Arrays.stream(values())
                            .map(OldSystem::toString)
                            .collect(Collectors.joining(", "))
                        + ")"));
  }
}
