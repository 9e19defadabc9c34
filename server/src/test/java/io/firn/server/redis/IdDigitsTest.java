package io.firn.server.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Trials;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IdDigitsTest {

  private final IdDigits digits = new IdDigits();

  @ParameterizedTest
  @ValueSource(
      longs = {
        0,
        1,
        9,
        10,
        99_999_999,
        100_000_000,
        100_000_001,
        199_999_999,
        1_000_000_000,
        1L << 53,
        999_999_999_999_999_999L,
        1_000_000_000_000_000_000L,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE
      })
  void writesANumber(long number) {
    assertThat(written(number)).isEqualTo(":" + number + "\r\n");
  }

  @Test
  void writesEveryNumberOfFourDigitsInEitherHalf() {
    for (long i = 0; i < 10_000; i++) {
      assertThat(written(7_000_000_00000000L + i))
          .isEqualTo(":" + (7_000_000_00000000L + i) + "\r\n");
      long upper = 8_00000000L + 10_000 * i;
      assertThat(written(upper)).isEqualTo(":" + upper + "\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 99_999_000, 117_744_808_186_425_351L, Long.MAX_VALUE - 2_000})
  void writesNumbersWithoutAGap(long first) {
    writesRun(LongStream.range(first, first + 2_000).toArray());
  }

  @Test
  void writesRunsThatCrossEveryBoundary() {
    Trials.check("runs", 300, IdDigitsTest::run, this::writesRun);
  }

  private static long[] run(RandomGenerator random) {
    long first = random.nextLong(Long.MAX_VALUE >> random.nextInt(63));
    long step = 1L << random.nextInt(24);
    return LongStream.range(0, 1 + random.nextInt(2000))
        .map(i -> (first + i * step) & Long.MAX_VALUE)
        .toArray();
  }

  private void writesRun(long[] numbers) {
    ByteBuf out = Unpooled.buffer();
    digits.write(out, numbers, 0, numbers.length);
    assertThat(out.toString(US_ASCII))
        .isEqualTo(
            Arrays.stream(numbers)
                .mapToObj(number -> ":" + number + "\r\n")
                .collect(Collectors.joining()));
  }

  private String written(long number) {
    ByteBuf out = Unpooled.buffer();
    digits.write(out, number);
    return out.toString(US_ASCII);
  }
}
