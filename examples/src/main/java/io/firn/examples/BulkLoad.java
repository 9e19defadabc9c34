package io.firn.examples;

import io.firn.block.BlockName;
import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.block.NumberBlocks;
import io.firn.segment.Segment;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.wide.Uuids;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** Blocks of IDs for bulk work. */
public final class BulkLoad {

  private BulkLoad() {}

  /** Reserves blocks and prints what they have in common. */
  public static void main(String[] args) {
    Path directory = Path.of(args[0]);
    // begin fresh
    RegisterStore store = FileRegisterStore.open(directory);
    IdBlocks blocks = IdBlocks.of(store, "orders");
    IdBlock block = blocks.take(1_000_000);
    long first = block.get(0);
    long last = block.get(999_999);
    System.out.println(block.size() + " IDs, growing: " + (first < last));
    // end

    // begin text
    String text = block.toString();
    IdBlock received = IdBlock.parse(text); // in another process
    System.out.println(received.get(17) == block.get(17));
    // end

    // begin named
    BlockName partition = new BlockName("load-2026-11", "4:9f2c51", 0, 0);
    IdBlock reserved = blocks.named(partition, 250_000);
    IdBlock again = blocks.named(partition, 250_000); // after a retry, anywhere
    System.out.println(again.equals(reserved));
    // end

    // begin dense
    NumberBlocks numbers = NumberBlocks.of(store, "order-numbers");
    Segment rows = numbers.named(new BlockName("load-2026-11", "4:9f2c51", 0, 0), 250_000);
    System.out.println("numbers " + rows.first() + ".." + rows.last());
    // end

    // begin backfill
    Instant yesterday = Instant.now().minus(Duration.ofDays(1));
    IdBlock old = blocks.take(1000, yesterday);
    System.out.println(Duration.between(old.from(), Instant.now()).toDays() + " day ago");
    // end

    // begin uuid
    UUID key = Uuids.v7At(yesterday);
    System.out.println(
        key.version() + ": " + Uuids.instant(key).orElseThrow().isBefore(Instant.now()));
    // end
    store.close();
  }
}
