package io.firn.simulation.schemes;

import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Link;
import io.firn.simulation.world.Scheme;

/** INCR on a Redis key at each start, modulo the number of workers. */
final class CounterScheme implements Scheme {

  private static final long NEVER = 1L << 50;
  private static final long WORKERS = 1_024;

  private long counter;

  @Override
  public Crew start(Incarnation process) {
    Link link = new Link(process.cluster(), process);
    return new Crew() {
      @Override
      public Member open(int slot) {
        Long number = link.change(() -> ++counter);
        if (number == null) {
          throw new Refused("no answer from Redis");
        }
        return member(process, number % WORKERS);
      }

      @Override
      public long keep() {
        return NEVER;
      }
    };
  }

  private static Member member(Incarnation process, long worker) {
    return new TwitterMember(process.time()) {
      @Override
      long worker() {
        return worker;
      }
    };
  }
}
