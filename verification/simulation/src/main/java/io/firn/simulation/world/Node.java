package io.firn.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A host with a clock, and the processes that run on it. */
public final class Node {

  private final Cluster cluster;
  private final String name;
  private final String instance;
  private final int index;
  private final NodeClock clock = new NodeClock();
  private final List<Incarnation> processes = new ArrayList<>();
  private long pausedUntil;
  private long cutUntil;
  private boolean retired;

  /** A host whose processes go by that instance name, and have that place among all instances. */
  Node(Cluster cluster, String name, String instance, int index) {
    this.cluster = cluster;
    this.name = name;
    this.instance = instance;
    this.index = index;
  }

  NodeClock clock() {
    return clock;
  }

  String instance() {
    return instance;
  }

  int index() {
    return index;
  }

  /** Starts a process, unless this host is out of use. */
  public void start() {
    if (retired) {
      return;
    }
    Incarnation process = new Incarnation(cluster, this, processes.size() + 1);
    processes.add(process);
    process.log("starts");
    process.run(process::boot);
  }

  /** Starts a copy of a process, which continues where the snapshot was taken. */
  void restore(Incarnation.Snapshot snapshot) {
    if (retired) {
      return;
    }
    Incarnation process = new Incarnation(cluster, this, processes.size() + 1);
    processes.add(process);
    process.log(
        "is a copy of", snapshot.original(), snapshot.inCall() ? "in the middle of a call" : "");
    process.run(() -> process.restore(snapshot));
  }

  public boolean isStarted() {
    return !processes.isEmpty();
  }

  /** Returns the processes that ran here before one. */
  Stream<Incarnation> before(Incarnation process) {
    return processes.stream().takeWhile(earlier -> earlier != process);
  }

  /** Returns the newest process. */
  public Incarnation process() {
    return processes.get(processes.size() - 1);
  }

  /** Ends its process, and starts none any more. */
  public void retire() {
    retired = true;
    processes.forEach(Incarnation::crash);
  }

  void pause(long nanos) {
    pausedUntil = Math.max(pausedUntil, cluster.world().now() + nanos);
  }

  /** The time for which it stays stopped. */
  long pausedNanos() {
    return Math.max(0, pausedUntil - cluster.world().now());
  }

  void cut(long nanos) {
    cutUntil = Math.max(cutUntil, cluster.world().now() + nanos);
  }

  boolean isCut() {
    return cutUntil > cluster.world().now();
  }

  void repair() {
    clock.repair(cluster.world().now());
    pausedUntil = 0;
    cutUntil = 0;
  }

  @Override
  public String toString() {
    return name;
  }
}
