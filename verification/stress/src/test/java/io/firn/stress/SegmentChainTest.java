package io.firn.stress;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.firn.GeneratorClosedException;
import io.firn.segment.SegmentGenerator;
import io.firn.testkit.Sizes;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Lincheck tries the interleavings of short scenarios, one by one. */
class SegmentChainTest {

  private static final int CLOSED = -1;

  private static ModelCheckingOptions options(int iterations) {
    return new ModelCheckingOptions()
        .iterations(iterations)
        .invocationsPerIteration(40)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(1)
        .actorsAfter(1)
        .addGuarantee(forClasses(StressCounter.class.getName()).methods("generator").ignore())
        .addGuarantee(
            forClasses("io.firn.internal.PaddedCounter").methods("backOff").ignore()) // it spins
        .sequentialSpecification(Numbers.class);
  }

  @Test
  void chainIsACounter() {
    options(Sizes.deep(2, 8)).check(Chain.class);
  }

  @Test
  void chainThatCallersMoveOnWithoutAskingIsNot() {
    assertThatThrownBy(() -> options(8).check(CarelessChain.class))
        .isInstanceOf(LincheckAssertionError.class)
        .hasMessageContaining("Invalid execution results");
  }

  /** The expected state of a chain of segments. */
  public static class Numbers {
    private long next = 1;
    private boolean closed;

    public long nextId() {
      return closed ? CLOSED : next++;
    }

    public void fetch() {}

    public void close() {
      closed = true;
    }
  }

  /** The production code, with segments of one and more numbers than a scenario draws. */
  public static class Chain {
    private final StressCounter counter = StressCounter.giving(1);
    private final SegmentGenerator generator = counter.generator(8);

    @Operation
    public long nextId() {
      try {
        return generator.nextId();
      } catch (GeneratorClosedException closed) {
        return CLOSED;
      }
    }

    @Operation(nonParallelGroup = "fetcher")
    public void fetch() {
      counter.fetch();
    }

    @Operation(runOnce = true, nonParallelGroup = "fetcher")
    public void close() {
      generator.close();
    }
  }

  /** Segments of two numbers; whoever finds one used up moves on, also if another just did. */
  public static class CarelessChain {
    private volatile Piece current = new Piece(1);

    private static final class Piece {
      final long first;
      final AtomicLong drawn = new AtomicLong();

      Piece(long first) {
        this.first = first;
      }
    }

    @Operation
    public long nextId() {
      long index = current.drawn.getAndIncrement();
      if (index < 2) {
        return current.first + index;
      }
      current = new Piece(current.first + 2);
      return nextId();
    }
  }
}
