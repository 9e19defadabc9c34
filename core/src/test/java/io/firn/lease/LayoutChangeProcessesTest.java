package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.store.ChildJvm;
import io.firn.store.FileRegisterStore;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A namespace changes its layout while real processes issue IDs, one of which is paused meanwhile.
 */
class LayoutChangeProcessesTest {

  private static final IdLayout OLD = IdLayout.of("40t+8w+5s@2026-01-01T00:00:00Z/1ms");

  /** Its IDs are above all of {@link #OLD}. */
  private static final IdLayout NEW = IdLayout.of("46t+4w+12s@1970-01-01T00:00:00.003Z/10ms");

  private static final long WINDOW_MILLIS = 3_000;

  @TempDir Path folder;

  private ChildJvm start(String name, IdLayout layout, String next) throws IOException {
    Path store = folder.resolve("store");
    Path ids = folder.resolve("ids-" + name);
    return ChildJvm.start(ChangingProcess.class, store, layout, next, name, WINDOW_MILLIS, ids);
  }

  private static void stop(ChildJvm child) throws Exception {
    child.send("stop");
    child.lineThatBegins("stopped");
    assertThat(child.end()).isZero();
  }

  @Test
  void processesOfBothLayoutsNeverShareATimeOrAnId() throws Exception {
    ChildJvm first = start("first", OLD, NEW.toString());
    ChildJvm paused = start("paused", OLD, NEW.toString());
    ChildJvm old = start("old", OLD, "none");
    for (ChildJvm child : List.of(first, paused, old)) {
      child.lineThatBegins("issues with layout " + OLD);
    }

    Instant at = Instant.now().plusMillis(3 * WINDOW_MILLIS).truncatedTo(ChronoUnit.MILLIS);
    LayoutChange change =
        LayoutChange.of(FileRegisterStore.open(folder.resolve("store")), "orders");
    assertThat(change.apply(NEW, at, false).fixed()).isTrue();
    await(at.minusMillis(WINDOW_MILLIS / 4));
    paused.signal("STOP");
    first.lineThatBegins("issues with layout " + NEW);
    ChildJvm fresh = start("fresh", NEW, "none");
    fresh.lineThatBegins("issues with layout " + NEW);
    paused.signal("CONT");
    paused.lineThatBegins("issues with layout " + NEW);
    assertThat(old.lineThatBegins("refused "))
        .contains("Namespace orders has layout " + NEW + " since ");
    for (ChildJvm child : List.of(first, paused, old, fresh)) {
      stop(child);
    }

    Set<Long> ids = new HashSet<>();
    long read = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(path -> path.toString().contains("ids-")).toList()) {
        read += check(file, at, ids);
      }
    }
    assertThat(ids).hasSize(Math.toIntExact(read));
    assertThat(ids.stream().filter(OLD::fits).count()).isBetween(100L, read - 100);
  }

  /** Checks that the IDs of a file grow, and are of the right layout; returns how many it has. */
  private static long check(Path file, Instant at, Set<Long> ids) throws IOException {
    long last = -1;
    long count = Files.size(file) / Long.BYTES;
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      for (long i = 0; i < count; i++) {
        long id = in.readLong();
        ids.add(id);
        assertThat(id).isGreaterThan(last);
        last = id;
        if (OLD.fits(id)) {
          assertThat(OLD.parse(id).instant().plus(OLD.tick())).isBeforeOrEqualTo(at);
        } else {
          assertThat(NEW.parse(id).instant()).isAfterOrEqualTo(at);
        }
      }
    }
    return count;
  }

  private static void await(Instant time) {
    while (Instant.now().isBefore(time)) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }
}
