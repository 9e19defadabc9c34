package io.firn.verify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import io.firn.testkit.Trials;
import io.firn.verify.Verification.Duplicate;
import io.firn.verify.Verification.Result;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VerificationTest {

  private static final int MAX_PLACES = 8;

  @TempDir Path temp;

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  @Test
  void findsEveryRepeatedIdWithItsLines() {
    Trials.check(
        "duplicates",
        Sizes.deep(300, 3_000),
        random -> {
          int range = 1 + random.nextInt(3_000);
          List<List<Long>> files = new ArrayList<>();
          for (int file = 0; file < 1 + random.nextInt(3); file++) {
            files.add(random.longs(random.nextInt(2_000), 0, range).boxed().toList());
          }
          return files;
        },
        this::checkAgainstMap);
  }

  private void checkAgainstMap(List<List<Long>> files) throws IOException {
    Map<Long, List<String>> places = new LinkedHashMap<>();
    long count = 0;
    try (Verification verification = new Verification(LineFormat.PLAIN, false, temp)) {
      for (int file = 0; file < files.size(); file++) {
        StringBuilder text = new StringBuilder();
        int line = 0;
        for (long id : files.get(file)) {
          text.append(id).append('\n');
          line++;
          places.computeIfAbsent(id, any -> new ArrayList<>()).add(file + ":" + line);
          count++;
        }
        verification.read("" + file, stream(text.toString()), bytes -> {});
      }
      Result result = verification.search(7, parts -> {});
      List<Map.Entry<Long, List<String>>> repeated =
          places.entrySet().stream().filter(each -> each.getValue().size() > 1).toList();
      assertThat(verification.count()).isEqualTo(count);
      assertThat(result.repeatedIds()).isEqualTo(repeated.size());
      assertThat(result.extraLines()).isEqualTo(count - places.size());
      assertThat(result.duplicates().stream().map(VerificationTest::text))
          .containsExactlyElementsOf(
              repeated.stream().limit(7).map(VerificationTest::text).toList());
      assertThat(verification.spilledBytes()).isZero();
    }
  }

  private static String text(Duplicate duplicate) {
    return duplicate.id() + " " + duplicate.places();
  }

  private static String text(Map.Entry<Long, List<String>> places) {
    return places.getKey() + " " + places.getValue().stream().limit(MAX_PLACES).toList();
  }

  /** More than the buckets hold in memory, in an order that is not theirs. */
  @Test
  void findsOneDuplicateAmongMillionsThroughATemporaryFile() throws IOException {
    long count = Sizes.deep(3_000_000L, 20_000_000L);
    long step = 0x5851f42d4c957f2dL;
    try (Verification verification = new Verification(LineFormat.PLAIN, false, temp)) {
      verification.read("table", lines(count, step), bytes -> {});
      assertThat(verification.spilledBytes()).isGreaterThan(count);
      try (Stream<Path> files = Files.list(temp)) {
        assertThat(files).hasSizeLessThanOrEqualTo(1);
      }
      assertThat(verification.search(10, parts -> {}).repeatedIds()).isZero();
      verification.read("other", stream("1\n2\n" + Long.toUnsignedString(12_345 * step)), b -> {});
      Result result = verification.search(10, parts -> {});
      assertThat(result.duplicates().toString())
          .isEqualTo("[Duplicate[id=" + 12_345 * step + ", places=[table:12346, other:3]]]");
    }
    try (Stream<Path> files = Files.list(temp)) {
      assertThat(files).isEmpty();
    }
  }

  /** Multiples of an odd number: all different, in 64 bits. */
  private static InputStream lines(long count, long step) {
    return new InputStream() {
      private long next;
      private byte[] line = {};
      private int at;

      @Override
      public int read() {
        throw new UnsupportedOperationException();
      }

      @Override
      public int read(byte[] target, int from, int length) {
        int to = from;
        while (to < from + length) {
          if (at == line.length) {
            if (next == count) {
              return to == from ? -1 : to - from;
            }
            line = (Long.toUnsignedString(next++ * step) + "\n").getBytes(UTF_8);
            at = 0;
          }
          target[to++] = line[at++];
        }
        return length;
      }
    };
  }

  @Test
  void countsWhatIsNotAscendingInEachFile() throws IOException {
    try (Verification verification = new Verification(LineFormat.PLAIN, false, temp)) {
      verification.read("a", stream("5\n6\n\n18446744073709551615\n7\n6\n"), bytes -> {});
      verification.read("b", stream("1\n"), bytes -> {});
      assertThat(verification.descents()).isEqualTo(2);
      assertThat(verification.firstDescent().orElseThrow().toString())
          .isEqualTo("Descent[id=7, before=-1, place=a:5]");
      assertThat(verification.smallest()).isEqualTo(1);
      assertThat(verification.largest()).isEqualTo(-1);
    }
  }

  /** Buckets have a fair share of different IDs; of equal ones all are in one bucket. */
  @Test
  void findsOneIdOnMillionsOfLinesInTheMemoryOfAFewThousand() throws IOException {
    Occurrences equal = new Occurrences(4_096);
    for (int i = 0; i < 1_000_000; i++) {
      equal.add(i % 1_000);
    }
    assertThat(equal.capacity()).isEqualTo(4_096);
    assertThat(equal.repeated()).hasSize(1_000).isSorted();
    assertThat(equal.extra()).isEqualTo(999_000);
    try (Verification verification = new Verification(LineFormat.PLAIN, false, temp)) {
      verification.read("equal", lines(1_000_000, 0), bytes -> {});
      Result result = verification.search(1, parts -> {});
      assertThat(result.repeatedIds()).isEqualTo(1);
      assertThat(result.extraLines()).isEqualTo(999_999);
      assertThat(result.duplicates().get(0).places()).hasSize(MAX_PLACES);
    }
  }

  @Test
  void ordersSignedNumbersFromTheFirstNegativeOneOn() throws IOException {
    try (Verification verification = new Verification(LineFormat.PLAIN, false, temp)) {
      verification.read("a", stream("-5\n-4\n1\n-6\n"), bytes -> {});
      assertThat(verification.descents()).isEqualTo(1);
      assertThat(verification.firstDescent().orElseThrow().toString())
          .isEqualTo("Descent[id=-6, before=1, place=a:4]");
      assertThat(verification.smallest()).isEqualTo(-6);
      assertThat(verification.largest()).isEqualTo(1);
    }
  }

  @Test
  void keepsASampleFromAllOverTheIds() {
    Sample sample = new Sample();
    for (int i = 0; i < 1_000_000; i++) {
      sample.add(i);
    }
    long[] ids = sample.stream().toArray();
    assertThat(ids).hasSizeBetween(512, 1024).isSorted().startsWith(0);
    assertThat(ids[ids.length - 1]).isGreaterThan(998_000);
    assertThat(ids[1] - ids[0]).isEqualTo(ids[ids.length - 1] - ids[ids.length - 2]);
  }
}
