package io.firn.block;

import io.firn.block.PageRecord.Page;
import io.firn.internal.RecordText;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The names of blocks: a register for each job, {@code PREFIX/JOB/job}, and one for some pages of a
 * partition each, {@code PREFIX/JOB/PARTITION/N}. Thread-safe.
 *
 * <p>A block is reserved first, and then written under its name. A caller that asks for a name that
 * is there writes its register too, and uses the block only once that write was applied: a read may
 * show a write that a failover then takes back, and the next one would get another block.
 *
 * <p>Both registers hold the shape. That of the job is opened first, so a job with another shape is
 * refused whichever partition asks. A caller that finds it writes it too, until it says that it was
 * kept; otherwise partitions could have different shapes after a failover. Registers are never
 * removed, because a write that was sent twice could revive a name: a job that is forgotten begins
 * a new generation, and pages of an older one count for nothing.
 *
 * @param <B> the type of a block
 */
final class NamedBlocks<B> {

  /** Each is a write whose outcome is unknown. */
  private static final int MAX_ATTEMPTS = 16;

  /** A write that is lost to another one costs less, because then another caller succeeded. */
  private static final int MAX_CONFLICTS = 10_000;

  private final RegisterStore store;
  private final String prefix;
  private final BlockKind<B> kind;
  private final TimeSource time;

  NamedBlocks(RegisterStore store, String prefix, BlockKind<B> kind, TimeSource time) {
    this.store = store;
    this.prefix = prefix;
    this.kind = kind;
    this.time = time;
  }

  B open(BlockName name, long size) {
    if (store.mayForget()) {
      throw new IllegalArgumentException(
          "store: "
              + store
              + " may forget (expected: may-forget=false, because a lost name would get other"
              + " IDs)");
    }
    String register = prefix + name.job() + "/" + name.partition() + "/" + PageRecord.group(name);
    B block = null;
    long reservedIn = 0;
    Attempts attempts = new Attempts(name.job());
    while (true) {
      JobRecord job = openJob(name);
      Register seen = store.read(register).orElse(null);
      PageRecord pages = pages(name, job, seen);
      if (pages == null) {
        attempts.failed(WriteResult.CONFLICT);
        continue;
      }
      Page page = pages.page(name.page());
      B named;
      if (page == null) {
        // One of an older generation may have been named and used before the job was forgotten.
        block =
            block == null || reservedIn < job.generation() ? kind.take(size, pages.room()) : block;
        reservedIn = job.generation();
        pages = pages.with(name.page(), kind.page(block));
        named = block;
      } else if (page.size() != size) {
        throw BlockShapeException.size(name, size, page.size());
      } else {
        named = read(Objects.requireNonNull(seen), page);
      }
      WriteResult written = write(register, seen, pages.opened(RecordText.nonce(time)).text());
      if (written.outcome() == WriteResult.Outcome.APPLIED) {
        return named;
      }
      attempts.failed(written);
    }
  }

  /** Returns the pages of a job; null if it was forgotten since its record was read. */
  private static @Nullable PageRecord pages(
      BlockName name, JobRecord job, @Nullable Register seen) {
    PageRecord pages = seen == null ? null : PageRecord.parse(seen);
    if (pages == null || pages.generation() < job.generation()) {
      return PageRecord.of(job.generation(), name.shape());
    }
    if (pages.generation() > job.generation()) {
      return null;
    }
    if (!pages.shape().equals(name.shape())) {
      throw BlockShapeException.shape(name, pages.shape());
    }
    return pages;
  }

  private B read(Register register, Page page) {
    try {
      return kind.block(page);
    } catch (IllegalArgumentException e) {
      throw RecordText.refused(register, "pages with their places");
    }
  }

  private JobRecord openJob(BlockName name) {
    String register = jobRegister(name.job());
    Attempts attempts = new Attempts(name.job());
    while (true) {
      Register seen = store.read(register).orElse(null);
      JobRecord job = seen == null ? null : JobRecord.parse(seen);
      JobRecord next;
      if (job == null || job.forgotten()) {
        next = created(job, name.shape());
      } else if (!job.shape().equals(name.shape())) {
        throw BlockShapeException.shape(name, job.shape());
      } else if (job.kept()) {
        return job;
      } else {
        next = job.kept(false, RecordText.nonce(time));
      }
      WriteResult written = write(register, seen, next.text());
      if (written.outcome() == WriteResult.Outcome.APPLIED) {
        // Saves others that write; its outcome does not matter.
        JobRecord kept = next.kept(true, RecordText.nonce(time));
        WriteResult unused = store.compareAndSet(register, written.version(), kept.text());
        return next;
      }
      attempts.failed(written);
    }
  }

  private JobRecord created(@Nullable JobRecord before, String shape) {
    long generation = before == null ? 1 : before.generation() + 1;
    Instant now = Instant.ofEpochMilli(time.currentTimeMillis());
    return new JobRecord(generation, false, false, shape, now, RecordText.nonce(time));
  }

  /** Frees the name of a job; returns whether this call found it in use. */
  boolean forget(String name) {
    String register = jobRegister(name);
    Attempts attempts = new Attempts(name);
    boolean open = false;
    while (true) {
      Register seen = store.read(register).orElse(null);
      if (seen == null) {
        return open;
      }
      JobRecord job = JobRecord.parse(seen);
      open |= !job.forgotten();
      // One that is forgotten is written again, too: what was read is no acknowledgment.
      WriteResult written = write(register, seen, job.forgotten(RecordText.nonce(time)).text());
      if (written.outcome() == WriteResult.Outcome.APPLIED) {
        return open;
      }
      attempts.failed(written);
    }
  }

  List<BlockJob> jobs() {
    Map<String, List<PageRecord>> pages = new HashMap<>();
    Map<String, JobRecord> jobs = new HashMap<>();
    for (Register register : store.scan(prefix)) {
      String rest = register.name().substring(prefix.length());
      String job = rest.substring(0, rest.indexOf('/'));
      if (register.name().equals(jobRegister(job))) {
        jobs.put(job, JobRecord.parse(register));
      } else {
        pages.computeIfAbsent(job, key -> new ArrayList<>()).add(PageRecord.parse(register));
      }
    }
    return jobs.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(
            job -> entry(job.getKey(), job.getValue(), pages.getOrDefault(job.getKey(), List.of())))
        .toList();
  }

  private static BlockJob entry(String name, JobRecord job, List<PageRecord> pages) {
    List<PageRecord> current =
        pages.stream().filter(page -> page.generation() == job.generation()).toList();
    return new BlockJob(
        name,
        job.shape(),
        job.forgotten(),
        job.created(),
        current.stream().mapToLong(PageRecord::count).sum(),
        current.stream().mapToLong(PageRecord::ids).sum());
  }

  private WriteResult write(String register, @Nullable Register seen, String text) {
    return store.compareAndSet(register, seen == null ? 0 : seen.version(), text);
  }

  private String jobRegister(String job) {
    return prefix + job + "/job";
  }

  /** Counts the writes of one call that were not applied, and ends it after too many. */
  private final class Attempts {
    private final String job;
    private int unknown;
    private int conflicts;

    Attempts(String job) {
      this.job = job;
    }

    void failed(WriteResult written) {
      boolean conflict = written.outcome() == WriteResult.Outcome.CONFLICT;
      if (conflict ? ++conflicts < MAX_CONFLICTS : ++unknown < MAX_ATTEMPTS) {
        return;
      }
      throw new StoreException(
          "Store "
              + store
              + " did not apply "
              + (conflicts + unknown)
              + " writes of job "
              + job
              + ", or did not report it; retry: IDs that were reserved and not used stay a gap");
    }
  }
}
