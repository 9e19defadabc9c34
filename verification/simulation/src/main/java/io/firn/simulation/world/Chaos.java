package io.firn.simulation.world;

import java.util.Set;

/** Makes things happen to nodes and to the store, at random times. */
public final class Chaos {

  private static final long DAY_NANOS = 86_400_000L * World.NANOS_PER_MILLI;
  private static final long HOUR_NANOS = DAY_NANOS / 24;
  private static final int CRASHES_IN_A_LOOP = 2_400;
  private static final int MAX_ATTEMPTS_TO_COPY = 100;

  /** Faults of single calls. */
  private static final Set<Fault> OF_CALLS =
      Set.of(
          Fault.SLOW_READ,
          Fault.DELAY,
          Fault.LOST_REQUEST,
          Fault.LOST_REPLY,
          Fault.LATE_WRITE,
          Fault.STALE_SCAN,
          Fault.UNKEPT_WRITE,
          Fault.HANG,
          Fault.ERROR,
          Fault.SPLIT,
          Fault.CLOCK_ERROR,
          Fault.WRONG_READING,
          Fault.RESTART_JUMP);

  private final Cluster cluster;
  private final World world;
  private final Loss loss;
  private final long window;

  public Chaos(Cluster cluster, Loss loss) {
    this.loss = loss;
    this.cluster = cluster;
    world = cluster.world();
    window = cluster.settings().terms().windowNanos();
  }

  public void start() {
    for (Fault fault : cluster.odds().faults()) {
      if (loss.isSingle() && fault == loss.fault()) {
        once(fault);
      } else if (!OF_CALLS.contains(fault)) {
        next(fault);
      }
    }
  }

  private void once(Fault fault) {
    Numbers random = cluster.odds().of(fault);
    world.after(
        random.below(cluster.settings().scale().windows() * window), () -> strike(fault, random));
  }

  private void next(Fault fault) {
    long wait = cluster.odds().of(fault).below(6 * window);
    world.after(
        wait,
        () -> {
          if (cluster.isOpen()) {
            strike(fault, cluster.odds().of(fault));
            next(fault);
          }
        });
  }

  private void strike(Fault fault, Numbers random) {
    Node node = cluster.nodes().get(random.below(cluster.settings().scale().nodes()));
    if (!node.isStarted()) {
      return;
    }
    switch (fault) {
      case DRIFT -> drift(node, random.between(-100_000, 100_000));
      case STEP -> step(node, random.between(-3 * window, 3 * window));
      case DAY_OFF -> step(node, random.oneOf(-DAY_NANOS, DAY_NANOS, -HOUR_NANOS, HOUR_NANOS));
      case FREEZE -> freeze(node, random.below(3 * window));
      case PAUSE -> pause(node, random.below(random.perMille(500) ? window / 2 : 4 * window));
      case CRASH -> crash(node, random.below(window));
      case CRASH_LOOP -> crashLoop(node, random.below(CRASHES_IN_A_LOOP));
      case CLOSE -> close(node, random.below(window / 4));
      case TWIN -> twin(node, random.below(4 * window));
      case COPY ->
          copy(
              node,
              random.below(random.perMille(500) ? window / 50 : 2 * window),
              random.perMille(750));
      case PARTITION -> cut(node, random.below(3 * window));
      case OUTAGE -> outage(random.below(2 * window));
      case FORGET -> cluster.truth().forget();
      case FAILOVER -> cluster.truth().loseNewest();
      case FALL_BACK -> cluster.truth().fallBack(random.below(window / 2));
      case NEW_IDENTITY -> cluster.truth().newIdentity();
      case ROLL_BACK, FLUSH -> loseAcknowledged(fault, random);
      case STORE_CLOCK -> storeClock(random);
      default -> throw new IllegalArgumentException(fault.label());
    }
  }

  /**
   * Loses writes. Where new processes of leases do not wait, each namespace has a mark by then, and
   * the newest is as old as the settling time.
   */
  private void loseAcknowledged(Fault fault, Numbers random) {
    Truth truth = cluster.truth();
    Settings settings = cluster.settings();
    long earliest = truth.markedNanos() + settings.settleMillis() * World.NANOS_PER_MILLI;
    boolean leads = settings.subject() != Subject.SEGMENTS && !settings.waitsAfterLoss();
    if (leads && (!truth.isMarked() || world.now() < earliest)) {
      return;
    }
    if (settings.splitMillis() > 0 && random.perMille(700)) {
      truth.split(settings.splitMillis() * World.NANOS_PER_MILLI);
      truth.newIdentity();
    } else if (fault == Fault.ROLL_BACK || random.perMille(500)) {
      truth.newIdentity();
    }
    if (fault == Fault.FLUSH) {
      truth.forget();
    } else {
      truth.rollBack(random);
    }
    if (cluster.odds().strikes(Fault.STORE_CLOCK, 500)) {
      storeClock(cluster.odds().of(Fault.STORE_CLOCK));
    }
  }

  private void storeClock(Numbers random) {
    long nanos = random.oneOf(-DAY_NANOS, DAY_NANOS, -HOUR_NANOS, HOUR_NANOS);
    cluster.setStoreClockOff(nanos / World.NANOS_PER_MILLI, random.below(window));
  }

  private void drift(Node node, long ppm) {
    world.log(node, "has a clock that drifts by", ppm, "ppm");
    node.clock().drift(world.now(), ppm);
  }

  /** Steps the clock; some time later someone sets it right. */
  private void step(Node node, long nanos) {
    world.log(node, "has a clock that steps by", nanos / World.NANOS_PER_MILLI, "ms");
    node.clock().step(world.now(), nanos);
    world.after(cluster.random().below(6 * window), () -> setRight(node));
  }

  private void setRight(Node node) {
    world.log(node, "has its clock set right");
    node.clock().repair(world.now());
  }

  private void freeze(Node node, long nanos) {
    world.log(node, "has a clock that stands still for", nanos / World.NANOS_PER_MILLI, "ms");
    node.clock().freeze(world.now());
    world.after(nanos, () -> node.clock().thaw(world.now()));
  }

  private void pause(Node node, long nanos) {
    world.log(node, "stands still for", nanos / World.NANOS_PER_MILLI, "ms");
    node.pause(nanos);
  }

  private void crash(Node node, long downNanos) {
    node.process().crash();
    restart(node, downNanos);
  }

  private void restart(Node node, long downNanos) {
    if (cluster.odds().strikes(Fault.RESTART_JUMP, 500)) {
      Numbers random = cluster.odds().of(Fault.RESTART_JUMP);
      step(
          node,
          random.oneOf(1, 1, -1) * random.below(random.oneOf(window, 3 * window, HOUR_NANOS)));
    }
    world.after(downNanos, () -> startAgain(node));
  }

  private static void startAgain(Node node) {
    if (node.process().isDead()) {
      node.start();
    }
  }

  private void crashLoop(Node node, int times) {
    world.log(node, "crashes", times, "times");
    crashAgain(node, times);
  }

  private void crashAgain(Node node, int times) {
    crash(node, World.NANOS_PER_MILLI);
    if (times > 0 && cluster.isOpen()) {
      world.after(window / 200, () -> crashAgain(node, times - 1));
    }
  }

  private void close(Node node, long downNanos) {
    Incarnation process = node.process();
    process.later(0, () -> closeFrom(process, 0, () -> restart(node, downNanos)));
  }

  private static void closeFrom(Incarnation process, int slot, Runnable then) {
    if (slot < process.slots().size()) {
      process.slot(slot).close(() -> closeFrom(process, slot + 1, then));
    } else {
      process.end();
      then.run();
    }
  }

  /** Takes a node that is stopped for dead, and later lets it continue for a while. */
  private void twin(Node node, long nanos) {
    pause(node, nanos);
    Node twin = cluster.replace(node);
    world.log(twin, "replaces", node);
    twin.start();
    world.after(nanos + 2 * window, () -> retire(twin));
  }

  private void copy(Node node, long nanos, boolean inDoubt) {
    if (inDoubt) {
      node.process().whenInDoubt(() -> copy(node, nanos, 0));
    } else {
      copy(node, nanos, MAX_ATTEMPTS_TO_COPY);
    }
  }

  /** Goes on twice: once where it is, and some time later on another host. */
  private void copy(Node node, long nanos, int attempts) {
    if (!node.process().isCopyable()) {
      if (attempts > 0) {
        world.after(window / 100, () -> copy(node, nanos, attempts - 1));
      }
      return;
    }
    Node twin = cluster.replace(node);
    Incarnation.Snapshot snapshot = node.process().snapshot();
    world.log(node, "is copied");
    cluster.truth().copied(node.process());
    world.after(nanos, () -> twin.restore(snapshot));
    world.after(nanos + 3 * window, () -> retire(twin));
  }

  private static void retire(Node twin) {
    if (twin.isStarted()) {
      twin.retire();
    }
  }

  private void cut(Node node, long nanos) {
    world.log(node, "does not reach the store for", nanos / World.NANOS_PER_MILLI, "ms");
    node.cut(nanos);
  }

  private void outage(long nanos) {
    world.log("the store", "is down for", nanos / World.NANOS_PER_MILLI, "ms");
    cluster.shutDownStore(nanos);
  }
}
