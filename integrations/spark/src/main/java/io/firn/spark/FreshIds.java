package io.firn.spark;

import io.firn.IdLayout.Kind;
import io.firn.block.IdBlock;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Fresh IDs for one thread, which asks the driver for pages. Public for the code that Spark
 * generates. Not thread-safe.
 */
public final class FreshIds implements Serializable {

  private static final long serialVersionUID = 2L;

  /** A task of few rows leaves few IDs unused, and one of many asks rarely. */
  private static final int FIRST_PAGE = 1 << 12;

  private static final int LARGEST_PAGE = 1 << 20;

  private final String namespace;
  private final int source;
  private final Tally tally;
  private final transient @Nullable Thread owner;
  private transient @Nullable Page page;
  private transient long step;
  private transient long id;
  private transient long stop;

  FreshIds(String namespace, PageSource source) {
    this(namespace, source.number(), source.tally());
  }

  private FreshIds(String namespace, int source, Tally tally) {
    this.namespace = namespace;
    this.source = source;
    this.tally = tally;
    owner = Thread.currentThread();
  }

  /** The IDs of one page. */
  private static final class Page {
    private final long asked;
    private final IdBlock block;
    private final long end;
    private long next;

    Page(long asked, ServedPage served) {
      this.asked = asked;
      block = served.block();
      next = served.from();
      end = served.end();
    }
  }

  /** Returns IDs of the same namespace for the calling thread. Asks for none of them yet. */
  public FreshIds begin() {
    return new FreshIds(namespace, source, tally);
  }

  boolean isOfThisThread() {
    return owner == Thread.currentThread();
  }

  String namespace() {
    return namespace;
  }

  /** Returns an ID that no one else has. */
  public long next() {
    if (id == stop) {
      turn();
    }
    long next = id;
    id = next + step;
    return next;
  }

  private void turn() {
    Page current = page;
    if (current == null || current.next == current.end) {
      long asked = current == null ? FIRST_PAGE : Math.min(LARGEST_PAGE, 4 * current.asked);
      ServedPage served = PageService.ask(source, namespace, asked);
      tally.add(served);
      current = new Page(asked, served); // a page is never empty
      page = current;
    }
    run(current);
  }

  /** Begins the next IDs of one tick and worker. */
  private void run(Page page) {
    IdBlock block = page.block;
    long next = page.next;
    long sequences = 1L << block.layout().bits(Kind.SEQUENCE);
    long until = Math.min(page.end, (next | (sequences - 1)) + 1);
    long first = block.get(next);
    step = 1L << block.layout().shift(Kind.SEQUENCE);
    if (block.get(until - 1) != first + (until - 1 - next) * step) { // the worker changes each time
      until = next + 1;
    }
    page.next = until;
    id = first;
    stop = first + (until - next) * step;
  }
}
