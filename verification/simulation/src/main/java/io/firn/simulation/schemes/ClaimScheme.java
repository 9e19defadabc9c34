package io.firn.simulation.schemes;

import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Link;
import io.firn.simulation.world.Scheme;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A number is claimed at a coordinator for as long as its claimant is heard of: a ZooKeeper session
 * with an ephemeral node, or a Redis key with a time to live. The generator does not ask, before it
 * issues, whether its claim still holds.
 */
final class ClaimScheme implements Scheme {

  private static final long WORKERS = 1_024;
  private static final int RENEWALS_PER_TIMEOUT = 3;

  private static final class Claim {
    final Object owner;
    long untilNanos;

    Claim(Object owner, long untilNanos) {
      this.owner = owner;
      this.untilNanos = untilNanos;
    }
  }

  private final boolean reclaims;
  private final Map<Long, Claim> claims = new HashMap<>();

  private ClaimScheme(boolean reclaims) {
    this.reclaims = reclaims;
  }

  /** The lowest free ephemeral node; a process whose session has expired continues with it. */
  static Scheme ephemeralNode() {
    return new ClaimScheme(false);
  }

  /** The first free key; a process that finds its key lost when it renews it takes another one. */
  static Scheme timeToLive() {
    return new ClaimScheme(true);
  }

  @Override
  public Crew start(Incarnation process) {
    return new ClaimCrew(process);
  }

  private final class ClaimCrew implements Crew {

    private final Incarnation process;
    private final Link link;
    private final long timeout;
    private final List<Claimant> members = new ArrayList<>();

    ClaimCrew(Incarnation process) {
      this.process = process;
      link = new Link(process.cluster(), process);
      timeout = process.cluster().settings().terms().windowNanos();
    }

    @Override
    public Member open(int slot) {
      Claimant member = new Claimant();
      member.claim();
      members.add(member);
      return member;
    }

    @Override
    public long keep() {
      List.copyOf(members).forEach(Claimant::renew);
      return timeout / RENEWALS_PER_TIMEOUT;
    }

    private long now() {
      return process.cluster().world().now();
    }

    private boolean isFree(long number) {
      Claim claim = claims.get(number);
      return claim == null || claim.untilNanos <= now();
    }

    private @Nullable Long grab(Object owner) {
      for (long number = 0; number < WORKERS; number++) {
        if (isFree(number)) {
          claims.put(number, new Claim(owner, now() + timeout));
          return number;
        }
      }
      return null;
    }

    private final class Claimant extends TwitterMember {

      private long worker;

      Claimant() {
        super(process.time());
      }

      void claim() {
        Long number = link.change(() -> grab(this));
        if (number == null) {
          throw new Refused("no answer from the coordinator");
        }
        worker = number;
      }

      void renew() {
        Boolean renewed = link.change(this::prolong);
        if (reclaims && Objects.equals(renewed, false)) {
          Long number = link.change(() -> grab(this));
          worker = number == null ? worker : number;
        }
      }

      private boolean prolong() {
        if (hasClaim()) {
          Objects.requireNonNull(claims.get(worker)).untilNanos = now() + timeout;
          return true;
        }
        return false;
      }

      @Override
      public boolean hasClaim() {
        Claim claim = claims.get(worker);
        return claim != null && claim.owner == this && claim.untilNanos > now();
      }

      @Override
      long worker() {
        return worker;
      }

      @Override
      public void close() {
        link.change(
            () -> {
              if (hasClaim()) {
                claims.remove(worker);
              }
              return true;
            });
      }
    }
  }
}
