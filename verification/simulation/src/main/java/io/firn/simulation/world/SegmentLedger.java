package io.firn.simulation.world;

import io.firn.segment.Segment;
import io.firn.store.Register;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that each process was given, by the writes that the store applied. What a write moves
 * a counter past belongs to the process that made it. Every version of a register has its line of
 * such gifts; a store that loses writes goes back to an older line.
 */
public final class SegmentLedger implements Grants {

  public static final String SUFFIX = "/segment";

  /** More generators than a process has. */
  private static final int KEYS = 16;

  /** The number of assignments that a register remembers. */
  private static final int REMEMBERED = 16;

  private static final class Gift {
    final Object owner;
    final long first;
    long end;
    long newest = -1;
    boolean acknowledged;
    final @Nullable Gift before;

    Gift(Object owner, long first, long end, @Nullable Gift before) {
      this.owner = owner;
      this.first = first;
      this.end = end;
      this.before = before;
    }
  }

  private record Version(String name, long version) {}

  private record Memory(Object owner, String name) {}

  private record Range(long first, long end) {}

  private final Map<String, List<Range>> shared = new HashMap<>();
  private final Map<Version, Gift> lines = new HashMap<>();
  private final Map<String, List<Gift>> gifts = new HashMap<>();
  private final Map<Memory, Gift> newest = new HashMap<>();
  private long noticed;
  private long missed;

  public static String key(int slot) {
    return "orders-" + slot;
  }

  /** Records a write that was applied. */
  public void written(Object owner, @Nullable Register before, Register after) {
    Gift line = before == null ? null : lines.get(versionOf(before));
    long from = before == null ? 1 : SegmentText.parse(before.value()).next();
    long to = SegmentText.parse(after.value()).next();
    if (to < from) {
      takeBack(after, line, to);
    } else if (owner instanceof Incarnation process) {
      requireMemory(owner, after.name(), line);
      line = new Gift(process.origin(), from, to, line);
      gifts.computeIfAbsent(after.name(), any -> new ArrayList<>()).add(line);
    }
    if (line != null) {
      lines.put(versionOf(after), line);
    }
  }

  private static Version versionOf(Register register) {
    return new Version(register.name(), register.version());
  }

  private static void takeBack(Register after, @Nullable Gift line, long to) {
    for (Gift gift = line; gift != null && gift.end > to; gift = gift.before) {
      if (gift.newest >= to) {
        throw new Violation(after.name() + " was set back before " + gift.newest + ", in use");
      }
      gift.end = Math.max(gift.first, to);
    }
  }

  /** A process that is given numbers must be one that saw no other numbers lost. */
  private void requireMemory(Object owner, String name, @Nullable Gift line) {
    Gift mine = newest.get(new Memory(owner, name));
    if (mine == null) {
      return;
    }
    Gift gift = line;
    int remembered = 0;
    long oldest = Long.MIN_VALUE;
    for (; remembered < REMEMBERED && gift != null; remembered++) {
      if (gift == mine) {
        return;
      }
      oldest = gift.first;
      gift = gift.before;
    }
    if (gift == null && (remembered < REMEMBERED || oldest < mine.end)) {
      throw new Violation(owner + " did not notice that " + name + " went back");
    }
    for (; gift != null; gift = gift.before) {
      if (gift == mine) {
        return;
      }
    }
    missed++;
  }

  /** Records that a process has learnt what it was given. */
  public void learns(Incarnation owner, String key, Segment segment) {
    gifts.getOrDefault(key + SUFFIX, List.of()).stream()
        .filter(gift -> gift.owner == owner.origin() && gift.first == segment.first())
        .reduce((older, newer) -> newer)
        .ifPresent(gift -> newest.put(new Memory(owner, key + SUFFIX), gift));
  }

  /** Records that a process has noticed that a counter went back, and starts over. */
  public void notices(Object owner, String key) {
    noticed++;
    forgets(owner, key);
  }

  /** Records that a process may know nothing more of what it was given. */
  public void forgets(Object owner, String key) {
    newest.remove(new Memory(owner, key + SUFFIX));
  }

  /** Returns what a counter must be set above: every number that was given. */
  public long highest(String key) {
    return gifts.getOrDefault(key + SUFFIX, List.of()).stream()
        .mapToLong(gift -> gift.end)
        .max()
        .orElse(1);
  }

  /** Records that a write was acknowledged to its process. */
  public void acknowledged(String name, long version) {
    given(name, version).forEach(gift -> gift.acknowledged = true);
  }

  /** Records that copies may use what a write gave, or confirmed. */
  public void share(String name, long version) {
    given(name, version).forEach(gift -> share(name, gift));
  }

  /**
   * Returns what a write gave. If that is nothing, it confirmed some of what its process was given
   * last.
   */
  private List<Gift> given(String name, long version) {
    List<Gift> given = new ArrayList<>();
    Gift gift = lines.get(new Version(name, version));
    Object owner = gift == null ? null : gift.owner;
    boolean confirms = gift != null && gift.end == gift.first;
    for (boolean more = true; gift != null && more; gift = gift.before, more = confirms) {
      if (gift.owner == owner) {
        given.add(gift);
      }
    }
    return given;
  }

  private void share(String name, Gift gift) {
    shared.computeIfAbsent(name, any -> new ArrayList<>()).add(new Range(gift.first, gift.end));
  }

  /**
   * Records that a process continues twice. Both copies may issue what was acknowledged until then,
   * and a third process what a copy gives back.
   */
  public void copied(Incarnation process) {
    gifts.forEach(
        (name, all) ->
            all.stream()
                .filter(gift -> gift.owner == process && gift.acknowledged)
                .forEach(gift -> share(name, gift)));
  }

  @Override
  public boolean isShared(Slot slot, long id) {
    return shared.getOrDefault(key(slot.index()) + SUFFIX, List.of()).stream()
        .anyMatch(range -> range.first <= id && id < range.end);
  }

  @Override
  public void require(Slot slot, long id) {
    if (isShared(slot, id)) {
      return;
    }
    for (Gift gift : gifts.getOrDefault(key(slot.index()) + SUFFIX, List.of())) {
      if (gift.owner == slot.process().origin() && gift.first <= id && id < gift.end) {
        gift.newest = Math.max(gift.newest, id);
        return;
      }
    }
    throw new Violation(slot + " issued " + id + ", which it was not granted");
  }

  @Override
  public long identity(Slot slot, long id) {
    return id * KEYS + slot.index();
  }

  public long noticed() {
    return noticed;
  }

  public long missed() {
    return missed;
  }
}
