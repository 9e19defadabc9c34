package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LayoutChangeCommandTest {

  private static final String GAME_CLASSIC = "42t+10w+11s@2025-01-01T00:00:00Z/1ms";

  @TempDir Path directory;

  private RegisterStore store;

  @BeforeEach
  void open() {
    store = FileRegisterStore.open(directory);
  }

  private Session run(int code, String command, String... more) {
    List<String> all = new ArrayList<>(List.of("layout", command, "orders"));
    all.addAll(Arrays.asList(more));
    all.addAll(List.of("--store", "file:" + directory));
    Session session = new Session();
    assertThat(session.run(all.toArray(String[]::new))).as(session.err()).isEqualTo(code);
    return session;
  }

  @Test
  void checksAndChangesAndShowsAndCancels() {
    String at = Instant.now().plus(2, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS).toString();
    try (Snowflake snowflake =
        Snowflake.builder()
            .layout(IdLayout.JS_SAFE)
            .nextLayout(IdLayout.CLASSIC)
            .lease(store, "orders")
            .build()) {
      assertThat(run(0, "show").out()).isEqualTo("orders: no change of layout\n");
      assertThat(run(0, "change", "--to", "classic", "--at", at).out())
          .startsWith("orders: js_safe until " + at.replace("Z", ".000Z") + ", in ")
          .contains(", then classic\nIDs continue growing; none is issued twice\n")
          .endsWith("\nnothing was written; --apply writes it\n");
      assertThat(run(0, "show").out()).isEqualTo("orders: no change of layout\n");
      assertThat(run(0, "change", "--to", "classic", "--at", at, "--apply").out())
          .endsWith("\nfixed\n");
      assertThat(run(0, "show").out()).contains("then classic\n").endsWith("\nfixed\n");
      Session workers = new Session();
      assertThat(workers.run("workers", "--store", "file:" + directory)).isZero();
      assertThat(workers.out())
          .contains("\nlayout js_safe until ", ", then classic\n", ", layout js_safe\n");
      assertThat(run(1, "change", "--to", "leaf", "--at", at, "--apply").err())
          .contains(
              "; change its layout again after that, or call this change off with firn layout cancel");
      assertThat(run(0, "cancel").out()).isEqualTo("orders: stays with js_safe\n");
      assertThat(run(1, "cancel").err())
          .contains(
              "firn: Namespace orders has no change of layout ahead; there is none to call off");
      assertThat(snowflake.layout()).isEqualTo(IdLayout.JS_SAFE);
    }
  }

  @Test
  void refusesWhatCannotBeProvenDisjoint() {
    Snowflake.builder().layout(IdLayout.CLASSIC).lease(store, "orders").build().close();
    assertThat(run(2, "change", "--to", GAME_CLASSIC, "--at", "2036-01-01").err())
        .contains("expected: one that cannot issue an ID of ", "see firn disjoint");
    assertThat(run(2, "change", "--to", "leaf", "--at", "2020-01-01").err())
        .contains("at: 2020-01-01T00:00:00Z (expected: after ");
  }

  @Test
  void namesANamespaceThatIsNotThere() {
    assertThat(run(2, "show").err())
        .contains("namespace: orders (expected: a namespace that a generator has used in ");
  }
}
