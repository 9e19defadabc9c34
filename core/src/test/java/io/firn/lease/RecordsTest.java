package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.store.FaultyStore;
import io.firn.store.Register;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Every format that was ever written is kept as a file, and read back forever. */
class RecordsTest {

  private static final WorkerRecord HELD =
      new WorkerRecord(
          Instant.parse("2026-11-01T00:00:30.123Z").toEpochMilli(),
          true,
          OptionalLong.of(Instant.parse("2026-10-31T23:12:00.456Z").toEpochMilli()),
          30_000,
          "host-0",
          4711,
          "5ca1ab1e.1",
          "");

  private static final WorkerRecord HELD_WITH_NONCE = HELD.withNonce("beef1234");

  private static final WorkerRecord HELD_WITH_LOW_MARK =
      HELD_WITH_NONCE.withLow(
          OptionalLong.of(Instant.parse("2026-11-01T00:00:15.122Z").toEpochMilli()));

  private static String golden(String name) throws IOException {
    try (InputStream in =
        RecordsTest.class.getResourceAsStream("/io/firn/testkit/records/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static WorkerRecord parse(String text) {
    return WorkerRecord.parse(new Register("orders/worker/3", 1, text));
  }

  @Test
  void readsTheWorkerRecordsOfEveryFormat() throws IOException {
    assertThat(parse(golden("worker-1-held"))).isEqualTo(HELD);
    assertThat(parse(golden("worker-1-released")))
        .isEqualTo(HELD.released(Instant.parse("2026-11-01T00:00:07.001Z").toEpochMilli()));
    assertThat(parse(golden("worker-1-nonce"))).isEqualTo(HELD_WITH_NONCE);
    assertThat(parse(golden("worker-1-low"))).isEqualTo(HELD_WITH_LOW_MARK);
  }

  @Test
  void readsTheRecordOfAWatermarkAndLeavesOutFieldsThatItDoesNotKnow() throws IOException {
    String text = golden("watermark-1");
    FloorRecord record = new FloorRecord(1_793_491_200_000L, 1_793_491_185_000L, 500, 10_000);
    for (String read : List.of(text, text + " later=x")) {
      assertThat(FloorRecord.parse(new Register("orders/watermark", 1, read))).isEqualTo(record);
    }
    assertThatThrownBy(
            () ->
                FloorRecord.parse(new Register("orders/watermark", 1, "firn-watermark/1 floor=x")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(
            "Register orders/watermark cannot be read: it holds firn-watermark/1 floor=x, and this"
                + " version reads floor and before instants");
  }

  @Test
  void guardThatIsNeitherOpenNorEndedIsRefused() {
    String text = new GuardRecord(true, "a", "b").text();
    assertThat(GuardRecord.parse(new Register("orders/guard/3", 1, text)).open()).isTrue();
    String ended = text.replace("open", "ended");
    assertThat(GuardRecord.parse(new Register("orders/guard/3", 1, ended)).open()).isFalse();
    String other = text.replace("open", "half");
    assertThatThrownBy(() -> GuardRecord.parse(new Register("orders/guard/3", 1, other)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(other + ", and this version reads state=open or state=ended; ");
  }

  @Test
  void writesTheNewestFormat() throws IOException {
    assertThat(HELD.text()).isEqualTo(golden("worker-1-held"));
    assertThat(HELD_WITH_NONCE.text()).isEqualTo(golden("worker-1-nonce"));
    assertThat(HELD_WITH_LOW_MARK.text()).isEqualTo(golden("worker-1-low"));
    assertThat(new FloorRecord(1_793_491_200_000L, 1_793_491_185_000L, 500, 10_000).text())
        .isEqualTo(golden("watermark-1"));
    assertThat(HELD.released(Instant.parse("2026-11-01T00:00:07.001Z").toEpochMilli()).text())
        .isEqualTo(golden("worker-1-released"));
  }

  @Test
  void readsAndWritesTheNamespaceRecordOfEveryFormat() throws IOException {
    FaultyStore store = new FaultyStore();
    Namespace namespace = Namespace.of(store, "orders");
    Homes homes =
        new LayoutWatch(
                LeaseConfig.builder(store, "orders").build(),
                IdLayout.CLASSIC,
                null,
                TimeSource.system())
            .claim(Homes.NONE, Optional.empty());

    assertThat(store.value("orders/layout")).isEqualTo(golden("namespace-1"));
    assertThat(namespace.layout()).contains(IdLayout.CLASSIC);
    assertThat(homes).isEqualTo(Homes.NONE);
  }

  /** Of a later release: the caller has given no layout. */
  @Test
  void layoutThatThisReleaseDoesNotKnowIsUnreadable() throws IOException {
    FaultyStore store = new FaultyStore();
    Namespace namespace = Namespace.of(store, "orders");
    String later = "41t+12w+10x@2025-01-01T00:00:00Z/1ms";
    String mark = golden("namespace-1").replaceFirst("layout=\\S+", "layout=" + later);
    store.put("orders/layout", mark);
    assertThatThrownBy(namespace::layout)
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith(
            "Register orders/layout cannot be read: it holds "
                + mark
                + ", and this version reads layout=LAYOUT ");
    String worker = golden("worker-1-held") + " layout=" + later;
    store.put("orders/worker/3", worker);
    assertThatThrownBy(namespace::workers)
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith(
            "Register orders/worker/3 cannot be read: it holds "
                + worker
                + ", and this version reads layout=LAYOUT, of");
  }

  @Test
  void fieldsOfALaterReleaseAreKeptApart() throws IOException {
    assertThat(parse(golden("worker-1-held") + " colour=blue")).isEqualTo(HELD);
  }

  @Test
  void recordWithoutAStartOfTheLeaseIsRead() throws IOException {
    String before = golden("worker-1-held").replaceAll(" since=\\S+", "");

    WorkerRecord record = parse(before);
    assertThat(record.sinceMillis()).isEmpty();
    assertThat(record.fenceMillis()).isEqualTo(HELD.fenceMillis());
    assertThat(record.text()).isEqualTo(before);
  }

  @Test
  void unknownFormatIsRefusedInWords() throws IOException {
    String next = golden("worker-1-held").replace("firn-worker/1", "firn-worker/2");

    assertThatThrownBy(() -> parse(next))
        .isInstanceOf(StoreException.class)
        .hasMessage(unreadable("orders/worker/3", next, "firn-worker/1 …"));
  }

  @Test
  void unknownFormatOfTheNamespaceIsRefusedInWords() {
    Fleet fleet = new Fleet();
    fleet.store.put("orders/layout", "firn-namespace/5 layout=x");

    assertThatThrownBy(() -> fleet.member().start(IdLayout.CLASSIC))
        .isInstanceOf(StoreException.class)
        .hasMessage(unreadable("orders/layout", "firn-namespace/5 layout=x", "firn-namespace/1 …"));
  }

  private static String unreadable(String register, String value, String read) {
    return "Register "
        + register
        + " cannot be read: it holds "
        + value
        + ", and this version reads "
        + read
        + "; use the version that wrote it, or restore the register";
  }

  @Test
  void registerOfNoWorkerIsRefusedInWords() {
    Fleet fleet = new Fleet();
    fleet.store.put(fleet.register(0), HELD.text());
    fleet.store.put("orders/worker/abc", HELD.text());

    String message =
        unreadable("orders/worker/abc", HELD.text(), "a worker ID behind orders/worker/");
    assertThatThrownBy(() -> fleet.namespace().workers())
        .isInstanceOf(StoreException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> fleet.member().start(Fleet.ONE_WORKER))
        .isInstanceOf(StoreException.class)
        .hasMessage(message);
  }

  @Test
  void processRefusesAWorkerOfAnUnknownFormatAndTouchesItNot() {
    Fleet fleet = new Fleet();
    fleet.store.put(fleet.register(0), "firn-worker/2 …");

    assertThatThrownBy(() -> fleet.member().start(Fleet.ONE_WORKER))
        .isInstanceOf(StoreException.class)
        .hasMessage(unreadable("orders/worker/0", "firn-worker/2 …", "firn-worker/1 …"));
    assertThat(fleet.store.value(fleet.register(0))).isEqualTo("firn-worker/2 …");
  }

  @Test
  void recordThatLacksAFieldIsRefusedByTheFieldsName() throws IOException {
    for (String field : List.of("state", "fence", "windowMillis", "holder", "pid", "token")) {
      String without = golden("worker-1-held").replaceAll(" " + field + "=\\S+", "");

      assertThatThrownBy(() -> parse(without))
          .isInstanceOf(StoreException.class)
          .hasMessage(unreadable("orders/worker/3", without, field + "=…"));
    }
  }

  @Test
  void recordWithANonsensicalFieldIsRefused() throws IOException {
    for (String nonsense :
        List.of(
            "state=hold",
            "state=HELD",
            "state=",
            "fence=soon",
            "fence=",
            "fence=+1000000000-12-31T23:59:59Z",
            "since=then",
            "windowMillis=x",
            "pid=1.5")) {
      String field = nonsense.substring(0, nonsense.indexOf('=') + 1);
      String text = golden("worker-1-held").replaceAll(field + "\\S+", nonsense);

      assertThatThrownBy(() -> parse(text))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith(
              "Register orders/worker/3 cannot be read: it holds " + text + ", and this version ");
    }
  }

  @Test
  void textThatIsNoRecordIsRefused() {
    for (String text :
        List.of("", " ", "x", "firn-worker/1", "firn-worker/1 state", "firn-worker/1 =x")) {
      assertThatThrownBy(() -> parse(text))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith(
              "Register orders/worker/3 cannot be read: it holds " + text + ", and this version ");
    }
  }

  @Test
  void timesUpToTheFenceBelongToABlockUnlessTheWorkerIsHeld() {
    String end = "fence=2026-11-01T00:00:30Z windowMillis=30000 holder=a pid=1 token=x";
    String block = end + " block=2026-11-01T00:00:30Z";
    String earlier = end + " block=2026-11-01T00:00:29.999Z";
    String replacing = "firn-worker/1 state=released " + block + " replaced=2026-11-01T00:00:01Z";
    assertThat(parse(replacing).replacedBeforeMillis())
        .hasValue(Instant.parse("2026-11-01T00:00:01Z").toEpochMilli());
    assertThat(parse(replacing).text()).isEqualTo(replacing);
    assertThat(parse("firn-worker/1 state=held " + block))
        .returns(false, WorkerRecord::isBlock)
        .returns("is leased to ", WorkerRecord::use);
    assertThat(parse("firn-worker/1 state=released " + block))
        .returns(true, WorkerRecord::isBlock)
        .returns("has a block of IDs, reserved by ", WorkerRecord::use);
    assertThat(parse("firn-worker/1 state=released " + earlier))
        .returns(false, WorkerRecord::isBlock)
        .returns("was released with IDs past the clock by ", WorkerRecord::use);
  }
}
