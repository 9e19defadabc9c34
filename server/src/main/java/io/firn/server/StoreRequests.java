package io.firn.server;

import io.firn.block.BlockName;
import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.integration.GeneratorSettings;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.lease.Watermark;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * The requests that the store answers, and no generator: blocks of IDs, and watermarks. They wait
 * for each other and for nothing else. Thread-safe.
 */
final class StoreRequests {

  /** A large block asks the store often. */
  private static final int THREADS = 2;

  private final RegisterStore store;
  private final TimeSource time;
  private final BlockingRequests requests;
  private final LongAdder blocksAnswered = new LongAdder();
  private final LongAdder idsInBlocks = new LongAdder();

  /** The watermarks that were read at least once, by the names of their namespaces. */
  private final Map<String, Watermark> watermarks = new ConcurrentHashMap<>();

  StoreRequests(RegisterStore store, EventLoops loops, TimeSource time) {
    this.store = store;
    this.time = time;
    requests =
        new BlockingRequests(
            "the store", THREADS, "firn-reserver", BlockingRequests.MAX_WAIT, loops.group());
  }

  /** Reserves IDs of a namespace whose generator has those settings. */
  CompletableFuture<IdBlock> block(
      String name,
      GeneratorSettings settings,
      long count,
      Optional<Instant> begin,
      Optional<BlockName> page) {
    return requests.run(() -> newBlock(name, settings, count, begin, page));
  }

  private IdBlock newBlock(
      String name,
      GeneratorSettings settings,
      long count,
      Optional<Instant> begin,
      Optional<BlockName> page) {
    try {
      LeaseConfig lease = settings.ofBlocks(store, name);
      IdBlocks blocks = IdBlocks.builder(lease).timeSource(time).build();
      IdBlock block =
          page.map(named -> blocks.named(named, count))
              .or(() -> begin.map(from -> blocks.take(count, from)))
              .orElseGet(() -> blocks.take(count));
      blocksAnswered.increment();
      idsInBlocks.add(count);
      return block;
    } catch (IllegalArgumentException | IllegalStateException e) {
      String reason =
          String.valueOf(e.getMessage())
              .replaceFirst("^size: ", "count: ")
              .replace("ask for blocks outside of it", "use firn next --block --outside-watermark");
      throw new RequestException(RequestException.Kind.BAD_REQUEST, reason);
    }
  }

  /** Returns how many blocks were answered; a named one counts each time. */
  long blocks() {
    return blocksAnswered.sum();
  }

  /** Returns how many IDs those blocks had. */
  long idsInBlocks() {
    return idsInBlocks.sum();
  }

  /** Returns the watermark of a namespace, moved on as far as it can be now. */
  CompletableFuture<Watermark.Reading> watermark(String name) {
    return requests.run(() -> read(name, Watermark::current));
  }

  /** Returns the watermark of a namespace that was published last, and changes nothing. */
  CompletableFuture<Watermark.Reading> publishedWatermark(String name) {
    return requests.run(() -> read(name, watermark -> published(name, watermark)));
  }

  private static Watermark.Reading published(String name, Watermark watermark) {
    return watermark
        .published()
        .orElseThrow(
            () ->
                new RequestException(
                    RequestException.Kind.NOT_FOUND,
                    "namespace: " + name + " (expected: one with a watermark; POST begins one)"));
  }

  private Watermark.Reading read(String name, Function<Watermark, Watermark.Reading> reader) {
    RequestException.read(() -> Namespace.of(store, name));
    try {
      Watermark known = watermarks.get(name);
      Watermark watermark =
          known == null ? Watermark.builder(store, name).timeSource(time).build() : known;
      Watermark.Reading reading = reader.apply(watermark);
      watermarks.putIfAbsent(name, watermark);
      return reading;
    } catch (IllegalArgumentException e) { // no generator has used it
      watermarks.remove(name);
      throw new RequestException(RequestException.Kind.NOT_FOUND, String.valueOf(e.getMessage()));
    } catch (UnsupportedOperationException | IllegalStateException e) {
      watermarks.remove(name);
      throw new RequestException(RequestException.Kind.BAD_REQUEST, String.valueOf(e.getMessage()));
    }
  }

  void close() {
    requests.close();
  }
}
