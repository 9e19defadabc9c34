package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.block.BlockName;
import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BlocksCommandTest {

  @TempDir Path directory;

  private Session run(int exitCode, String... command) {
    Session session = new Session();
    List<String> args = new ArrayList<>(List.of(command));
    args.add("--store");
    args.add("file:" + directory);
    assertThat(session.run(args.toArray(String[]::new))).as(session.err()).isEqualTo(exitCode);
    return session;
  }

  private void name(String namespace, String job, long size) {
    try (RegisterStore store = FileRegisterStore.open(directory)) {
      IdBlocks.of(store, namespace).named(new BlockName(job, "4/abc", 0, 0), size);
    }
  }

  @Test
  void nextReservesABlock() {
    IdBlock one = IdBlock.parse(run(0, "next", "--block", "10000").out().strip());
    IdBlock two =
        IdBlock.parse(run(0, "next", "--block", "1", "--namespace", "classic").out().strip());

    assertThat(one.size()).isEqualTo(10_000);
    assertThat(one.namespace()).isEqualTo("classic");
    assertThat(one).doesNotContain(two.first());
    assertThat(run(0, "next", "--block", "1", "--layout", "game").out()).contains("=31t+20w+12s@");
  }

  @Test
  void nextRefusesWhatABlockHasNot() {
    assertThat(run(2, "next", "--block", "5", "-n", "3").err())
        .contains("option: --count (expected: not with --block)");
    assertThat(run(2, "next", "--block", "0").err()).contains("size: 0 (expected: 1..");
    run(0, "next", "--block", "5", "--namespace", "orders");
    assertThat(run(2, "next", "--block", "5", "--namespace", "a/b").err())
        .startsWith("firn: namespace: a/b (expected: 1..64 of A-Z a-z 0-9 . _ : -)\n");
    assertThat(run(2, "blocks", "--namespace", "a/b").err()).startsWith("firn: namespace: a/b (");
    assertThat(run(2, "workers", "--namespace", "a/b").err()).startsWith("firn: namespace: a/b (");
    assertThat(run(1, "next", "--block", "5", "--namespace", "orders", "--layout", "game").err())
        .contains("Namespace orders has layout 41t+10w+12s@2026-01-01T00:00:00Z/1ms, and this");
  }

  @Test
  void jobsAreShownAndForgotten() {
    assertThat(run(0, "blocks").err()).contains("No job has reserved a named block yet in file:");
    name("orders", "load", 1000);
    name("bills", "load", 2000);
    name("bills", "other", 3000);

    assertThat(run(0, "blocks").out().lines()).hasSize(4);
    assertThat(run(0, "blocks", "--namespace", "orders", "--json").out())
        .matches(
            "\\{\"namespace\":\"orders\",\"job\":\"load\",\"shape\":\"4/abc\",\"state\":\"open\","
                + "\"created\":\"[^\"]+\",\"blocks\":1,\"ids\":\"1000\"}\n");
    assertThat(run(2, "blocks", "forget", "load").err())
        .contains("in one namespace; give --namespace, of [bills, orders])");
    assertThat(run(0, "blocks", "forget", "other").out())
        .isEqualTo("job other of bills is forgotten\n");
    assertThat(run(0, "blocks", "--namespace", "bills", "--json").out())
        .contains("\"job\":\"other\",\"shape\":\"4/abc\",\"state\":\"forgotten\"");
    assertThat(run(2, "blocks", "forget", "other").err())
        .contains("job: other (expected: one that is open)");
  }
}
