package io.firn.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.IdLayout;
import io.firn.lease.LayoutMismatchException;
import io.firn.lease.Namespace;
import io.firn.lease.NoFreeWorkerException;
import io.firn.lease.RegisterStore;
import io.firn.lease.WorkerEntry;
import io.firn.text.IdFormat;
import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import io.firn.wide.Uuids;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyGeneratorTest {

  private static void refuses(String type, Map<String, String> properties, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyGenerator.open(type, properties))
        .withMessage(message);
  }

  private static String text(String type) {
    try (KeyGenerator keys = KeyGenerator.open(type, Map.of())) {
      return (String) keys.nextKey();
    }
  }

  @Test
  void knowsItsOwnTypesAndThoseThatWereFound() {
    assertThat(KeyGenerator.types())
        .containsExactly("snowflake", "segment", "uuid", "uuid7", "ulid", "objectid", "counting");
  }

  @Test
  void issuesTextsOfWideIds() {
    UUID uuid = Uuids.parse(text("uuid"));
    assertThat(uuid.version()).isEqualTo(4);
    assertThat(Uuids.parse(text("uuid7"))).isLessThan(Uuids.parse(text("uuid7")));
    assertThat(Ulid.parse(text("ulid"))).isLessThan(Ulid.parse(text("ulid")));
    assertThat(ObjectId.parse(text("objectid"))).isLessThan(ObjectId.parse(text("objectid")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"uuid", "uuid7", "ulid", "objectid"})
  void refusesPropertiesOfTypesThatHaveNone(String type) {
    refuses(type, Map.of("worker", "1"), "property: worker (expected: none)");
  }

  @Test
  void issuesSnowflakesOfAGivenWorker() {
    Map<String, String> properties =
        Map.of("layout", "twitter", "datacenter", "11", "worker", "26");
    try (KeyGenerator keys = KeyGenerator.open("snowflake", properties)) {
      long id = (Long) keys.nextKey();
      assertThat(IdLayout.TWITTER.parse(id).datacenter()).isEqualTo(11);
      assertThat(IdLayout.TWITTER.parse(id).worker()).isEqualTo(26);
      List<Comparable<?>> more = keys.nextKeys(3);
      assertThat((Long) more.get(0)).isGreaterThan(id);
      assertThat(more).hasSize(3).doesNotHaveDuplicates();
      assertThat(keys.nextKeys(0)).isEmpty();
    }
  }

  @Test
  void issuesSnowflakesOfGivenManners() {
    Map<String, String> properties =
        Map.of("worker", "1", "sequence-start", "zero", "max-wait-millis", "10");
    try (KeyGenerator keys = KeyGenerator.open("snowflake", properties)) {
      long id = (Long) keys.nextKey();
      assertThat(IdLayout.CLASSIC.parse(id).sequence()).isZero();
    }
  }

  @Test
  void issuesSnowflakesAsText() {
    Map<String, String> properties = Map.of("worker", "7", "format", "BASE32");
    try (KeyGenerator keys = KeyGenerator.open("snowflake", properties)) {
      long id = IdFormat.BASE32.parse((String) keys.nextKey());
      assertThat(IdLayout.CLASSIC.parse(id).worker()).isEqualTo(7);
    }
  }

  @Test
  void leasesTheWorkerOfSnowflakesInAStore(@TempDir Path directory) {
    String store = "file:" + directory;
    Map<String, String> properties =
        Map.of("store", store, "namespace", "orders", "layout", "twitter");
    try (KeyGenerator keys = KeyGenerator.open("snowflake", properties)) {
      assertThat(keys.nextKey()).isInstanceOf(Long.class);
      assertThatExceptionOfType(LayoutMismatchException.class)
          .isThrownBy(
              () -> KeyGenerator.open("snowflake", Map.of("store", store, "namespace", "orders")));
    }
  }

  @Test
  void pinsAWorkerUnderALease(@TempDir Path directory) {
    Map<String, String> properties =
        Map.of(
            "store", "file:" + directory,
            "namespace", "orders",
            "layout", "twitter",
            "datacenter", "3",
            "worker", "4");
    for (int restart = 0; restart < 2; restart++) {
      try (KeyGenerator keys = KeyGenerator.open("snowflake", properties)) {
        long id = (Long) keys.nextKey();
        assertThat(IdLayout.TWITTER.parse(id).datacenter()).isEqualTo(3);
        assertThat(IdLayout.TWITTER.parse(id).worker()).isEqualTo(4);
      }
    }
  }

  @Test
  void issuesNoSnowflakeAfterItWasClosed() {
    KeyGenerator keys = KeyGenerator.open("snowflake", Map.of("worker", "1"));
    keys.close();
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(keys::nextKey)
        .withMessage("generator: closed (expected: open)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "worker | x | worker: x (expected: a whole number)",
        "worker | 1024 | worker: 1024 (expected: 0..1023, the layout has 10 worker bits)",
        "namespace | orders | namespace: orders (expected: with a store)",
        "store | memory: | namespace: not set (expected: a property of it)",
        "layout | classic | worker: not set (expected: 0..1023, it is never guessed)",
        "worker-id | 1 | property: worker-id (expected: one of layout, worker, datacenter, store,"
            + " namespace, format, max-wait-millis, sequence-start)",
        "sequence-start | one | sequenceStart: one (expected: continue, zero, random(N) or"
            + " rotating(N), N below 10^9)",
        "max-wait-millis | -1 | maxWait: PT-0.001S (expected: 0..365 days in whole milliseconds)",
        "format | base99 | format: base99 (expected: decimal, hex, binary, base62, base58, base36,"
            + " base32, base64url)",
      })
  void refusesPropertiesThatMakeNoSnowflake(String name, String value, String message) {
    refuses("snowflake", Map.of(name, value), message);
  }

  @Test
  void countsInAStore(@TempDir Path directory) {
    Map<String, String> properties = Map.of("store", "file:" + directory, "key", "orders");
    try (KeyGenerator keys = KeyGenerator.open("segment", properties)) {
      assertThat(keys.nextKey()).isEqualTo(1L);
      assertThat(keys.nextKeys(2)).isEqualTo(List.<Comparable<?>>of(2L, 3L));
    }
    try (KeyGenerator keys = KeyGenerator.open("segment", properties)) {
      assertThat(keys.nextKey()).isEqualTo(4L);
    }
  }

  @Test
  void refusesPropertiesThatMakeNoSegments() {
    refuses("segment", Map.of("key", "orders"), "store: not set (expected: a property of it)");
    refuses("segment", Map.of("store", "memory:"), "key: not set (expected: a property of it)");
    refuses(
        "segment",
        Map.of("store", "memory:", "key", "orders", "step", "0"),
        "step: 0 (expected: 1..1000000000)");
    refuses(
        "segment",
        Map.of("worker", "1"),
        "property: worker (expected: one of key, step, store, format)");
  }

  @Test
  void leasesOnDemandWhenTheFirstKeyIsAskedFor(@TempDir Path directory) {
    RegisterStore store = RegisterStore.open("file:" + directory);
    Map<String, String> properties = Map.of("store", "file:" + directory, "namespace", "orders");
    KeyGenerator keys = KeyGenerator.onDemand("snowflake", properties);
    assertThat(Namespace.of(store, "orders").workers()).isEmpty();

    long first = (Long) keys.nextKey();
    assertThat((Long) keys.nextKeys(2).get(1)).isGreaterThan(first);
    assertThat(Namespace.of(store, "orders").workers()).hasSize(1).allMatch(WorkerEntry::held);

    keys.close();
    assertThat(Namespace.of(store, "orders").workers()).hasSize(1).noneMatch(WorkerEntry::held);
    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(keys::nextKey);
  }

  @Test
  void startsOnDemandAtTheSecondAttemptIfItCouldNotAtTheFirst(@TempDir Path directory) {
    Map<String, String> properties =
        Map.of("store", "file:" + directory, "namespace", "orders", "worker", "7");
    KeyGenerator keys = KeyGenerator.onDemand("snowflake", properties);
    try (KeyGenerator holder = KeyGenerator.open("snowflake", properties)) {
      assertThat(holder.nextKey()).isNotNull();
      assertThatExceptionOfType(NoFreeWorkerException.class).isThrownBy(keys::nextKey);
    }
    assertThat(keys.nextKey()).isNotNull();
    keys.close();
  }

  @Test
  void startsNothingOnDemandAfterItWasClosed() {
    KeyGenerator keys = KeyGenerator.onDemand("snowflake", Map.of("worker", "1"));
    keys.close();
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(keys::nextKey)
        .withMessage("generator: closed (expected: open)");
  }

  @Test
  void refusesATypeThatNobodyProvidesBeforeTheFirstKey() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyGenerator.onDemand("guid", Map.of()))
        .withMessageStartingWith("type: guid (expected: one of ");
  }

  @Test
  void startsTypesOfOthers() {
    try (KeyGenerator keys = KeyGenerator.open("counting", Map.of("first", "5"))) {
      assertThat(keys.nextKey()).isEqualTo(5L);
      assertThat(keys.nextKeys(2)).isEqualTo(List.<Comparable<?>>of(6L, 7L));
    }
    refuses("counting", Map.of("last", "5"), "property: last (expected: one of first)");
  }

  @Test
  void refusesATypeThatNobodyProvides() {
    refuses(
        "guid",
        Map.of(),
        "type: guid (expected: one of snowflake, segment, uuid, uuid7, ulid, objectid,"
            + " counting)");
  }

  @Test
  void showsNamesOfPropertiesButNoValues() {
    assertThat(KeyProperties.of(Map.of("store", "redis://:secret@h")))
        .hasToString("KeyProperties[store]");
  }
}
