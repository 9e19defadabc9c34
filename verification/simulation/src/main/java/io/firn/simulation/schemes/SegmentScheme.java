package io.firn.simulation.schemes;

import io.firn.segment.CounterWentBackException;
import io.firn.segment.Segment;
import io.firn.segment.SegmentFetcher;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentRefusedException;
import io.firn.segment.SegmentSource;
import io.firn.simulation.world.Cluster;
import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Scheme;
import io.firn.simulation.world.SegmentLedger;
import io.firn.simulation.world.SegmentText;
import io.firn.simulation.world.StoreView;
import io.firn.simulation.world.Terms;
import io.firn.simulation.world.Truth;
import io.firn.store.Register;
import java.time.Duration;

/** The production generator over the registers of the simulated store. */
public final class SegmentScheme implements Scheme {

  private static final int STEPS_AHEAD = 8;

  private final Mutant mutant;

  public SegmentScheme(Mutant mutant) {
    this.mutant = mutant;
  }

  @Override
  public Crew start(Incarnation process) {
    SegmentFetcher fetcher = SegmentFetcher.manual(process.time());
    StoreView store = new StoreView(process.cluster(), process, process);
    SegmentSource source =
        new Watched(process, mutant.segments(mutant.store(store, process), process.time()));
    return new Crew() {
      @Override
      public Member open(int slot) {
        return new Counting(generator(process, source, fetcher, slot));
      }

      @Override
      public long keep() {
        return fetcher.runDue();
      }
    };
  }

  private static SegmentGenerator generator(
      Incarnation process, SegmentSource source, SegmentFetcher fetcher, int slot) {
    Terms terms = process.cluster().settings().terms();
    long step = 1L << terms.sequenceBits();
    return SegmentGenerator.builder(source, SegmentLedger.key(slot))
        .adaptiveStep(1, step)
        .maxAhead(step * STEPS_AHEAD)
        .maxWait(Duration.ofMillis(terms.waitMillis()))
        .timeSource(process.time())
        .fetcher(fetcher)
        .build();
  }

  private record Counting(SegmentGenerator generator) implements Member {

    @Override
    public long nextId() {
      return generator.nextId();
    }

    @Override
    public void nextIds(long[] target, int from, int to) {
      generator.nextIds(target, from, to);
    }

    @Override
    public void close() {
      generator.close();
    }
  }

  /**
   * Checks whether a process has noticed that a counter went back, or may have. Then an operator
   * raises it, once no store that was lost continues.
   */
  private record Watched(Incarnation process, SegmentSource source) implements SegmentSource {

    @Override
    public Segment next(String key, long count) {
      try {
        Segment segment = source.next(key, count);
        if (process.isReplaying()) {
          return segment;
        }
        ledger().learns(process, key, segment);
        return segment;
      } catch (SegmentRefusedException e) {
        if (!process.isReplaying()) {
          refused(key, e);
        }
        throw e;
      }
    }

    private void refused(String key, SegmentRefusedException e) {
      Cluster cluster = process.cluster();
      if (e instanceof CounterWentBackException) {
        process.log("notices that", key, "went back");
        ledger().notices(process, key);
      } else {
        process.log("is refused numbers of", key);
      }
      long pause = cluster.random().below(cluster.settings().terms().windowNanos());
      long lost = cluster.truth().lostUntil() - cluster.world().now();
      cluster.world().after(Math.max(0, lost) + pause, () -> raise(cluster, key));
    }

    private SegmentLedger ledger() {
      return process.cluster().truth().segments();
    }

    private static void raise(Cluster cluster, String key) {
      Truth truth = cluster.truth();
      String name = key + SegmentLedger.SUFFIX;
      long highest = truth.segments().highest(key);
      Register now = truth.read(name).orElse(new Register(name, 0, "firn-segment/1 next=0 step=0"));
      String identity = truth.shownIdentity();
      boolean refuses = !now.value().endsWith(" store=" + identity) && !identity.isEmpty();
      boolean over = truth.lostUntil() <= cluster.world().now();
      if (over && (refuses || SegmentText.parse(now.value()).next() < highest)) {
        long next = Math.max(highest, SegmentText.parse(now.value()).next());
        String raised = SegmentText.raisedTo(next, now.value(), identity);
        truth.write("operator", name, now.version(), raised);
      }
    }

    @Override
    public boolean giveBack(String key, Segment rest) {
      if (!process.isReplaying()) {
        ledger().forgets(process, key);
      }
      return source.giveBack(key, rest);
    }

    @Override
    public String requireKey(String key) {
      return source.requireKey(key);
    }

    @Override
    public String toString() {
      return source.toString();
    }
  }
}
