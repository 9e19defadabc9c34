package io.firn.stress;

import io.firn.IdGenerator;
import io.firn.IdLayout;
import java.util.Arrays;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** The IDs of each actor, in its own array, judged after all actors have ended. */
final class Seen {

  private Seen() {}

  /** Draws an ID for each element, one call at a time. */
  static void draw(IdGenerator from, long[] ids) {
    for (int i = 0; i < ids.length; i++) {
      ids[i] = from.nextId();
    }
  }

  /** Fills in: all different, each actor's own growing, none of a tick after the last allowed. */
  static void judge(ZZZ_Result result, IdLayout layout, long lastTick, long[]... byActor) {
    long[] all = Arrays.stream(byActor).flatMapToLong(Arrays::stream).toArray();
    result.r1 = Arrays.stream(all).distinct().count() == all.length;
    result.r2 = Arrays.stream(byActor).allMatch(Seen::grows);
    result.r3 = Arrays.stream(all).allMatch(id -> layout.parse(id).tick() <= lastTick);
  }

  /** Fills in: all different, each actor's own growing, all of them 1, 2, 3 and so on. */
  static void judgeDense(ZZZ_Result result, long[]... byActor) {
    long[] all = Arrays.stream(byActor).flatMapToLong(Arrays::stream).sorted().toArray();
    result.r1 = Arrays.stream(all).distinct().count() == all.length;
    result.r2 = Arrays.stream(byActor).allMatch(Seen::grows);
    result.r3 = all[0] == 1 && all[all.length - 1] == all.length;
  }

  private static boolean grows(long[] ids) {
    for (int i = 1; i < ids.length; i++) {
      if (ids[i] <= ids[i - 1]) {
        return false;
      }
    }
    return true;
  }
}
