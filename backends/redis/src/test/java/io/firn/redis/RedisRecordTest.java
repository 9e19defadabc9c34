package io.firn.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testservers.RedisServer;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of records that an operator reads or has written by hand. */
class RedisRecordTest {

  /** The first number that a script cannot tell from the next. */
  private static final long INEXACT = 1L << 53;

  private static RedisServer server;
  private static RegisterStore store;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    store = RegisterStore.open("redis://127.0.0.1:" + server.port() + "?timeout=30s");
  }

  @AfterAll
  static void stop() {
    store.close();
    server.close();
  }

  @BeforeEach
  void flush() {
    Admin.ask(server, "FLUSHALL");
  }

  private static void put(String field, String record) {
    Admin.ask(server, "HSET", "firn:registers", field, record);
  }

  @Test
  void registersAreFieldsOfOneHash() {
    long version = store.compareAndSet("orders/worker/7", 0, "1 a b").version();

    assertThat(Admin.ask(server, "HGETALL", "firn:registers"))
        .isEqualTo(List.of("orders/worker/7", version + " 1 a b"));
    assertThat(Admin.ask(server, "TTL", "firn:registers")).isEqualTo(-1L);
  }

  /** A page has 10,000 fields, and most pages none of these. */
  @Test
  void aScanFindsRegistersBehindPagesOfOthers() {
    Admin.ask(
        server,
        "EVAL",
        "for i = 1, 30000 do redis.call('HSET', KEYS[1], 'others/' .. i, '1 x') end",
        "1",
        "firn:registers");
    for (int i = 0; i < 8; i++) {
      put("orders" + i + "/worker/7", "1 x");
      assertThat(store.scan("orders" + i + "/")).hasSize(1);
    }
  }

  @Test
  void versionIsTheTimeInMicroseconds() {
    long before = store.currentTimeMillis().orElseThrow();
    long version = store.compareAndSet("a", 0, "1").version();
    assertThat(version / 1_000).isBetween(before, store.currentTimeMillis().orElseThrow());
  }

  @Test
  void versionGrowsByARandomNumberWhereTheClockIsBehind() {
    long ahead = INEXACT - (1L << 24);
    put("a", ahead + " 1");
    assertThat(store.read("a")).contains(new Register("a", ahead, "1"));
    long next = store.compareAndSet("a", ahead, "2").version();
    assertThat(next).isBetween(ahead + 1, ahead + (1 << 20));
    assertThat(store.compareAndSet("a", ahead, "3")).isEqualTo(WriteResult.CONFLICT);
    put("a", ahead + " 1"); // as after a loss
    assertThat(store.compareAndSet("a", ahead, "4").version()).isNotEqualTo(next);
    assertThat(store.compareAndSet("a", next, "5")).isEqualTo(WriteResult.CONFLICT);
  }

  @Test
  void recordWithoutAVersionIsNotReadAndNotOverwritten() {
    for (String record :
        List.of("", "x", "12", " 12 x", "0 x", "012 x", "-1 x", "1.5 x", "" + INEXACT + " x")) {
      put("a", record);
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "Store redis://127.0.0.1:"
                  + server.port()
                  + "?timeout=30s has no version in the field a of the hash firn:registers; give"
                  + " Firn a key of its own, and remove the field if another program wrote it");
      assertThat(store.compareAndSet("a", 0, "2")).as(record).isEqualTo(WriteResult.CONFLICT);
      assertThat(Admin.ask(server, "HGET", "firn:registers", "a")).isEqualTo(record);
    }
  }

  @Test
  void otherFieldsThanTheNamedAreNoneOfAScan() {
    put("x", "no record");
    put("a/1", "5 one");
    put("b/1", "6 two");
    assertThat(store.scan("a/")).containsExactly(new Register("a/1", 5, "one"));
  }

  @Test
  void scanReadsAHashOfManyPages() {
    int count = 12_000;
    String[] fields =
        IntStream.range(0, count)
            .boxed()
            .flatMap(i -> IntStream.of(0, 1).mapToObj(part -> part == 0 ? "n/" + i : "1 " + i))
            .toArray(String[]::new);
    String[] command = new String[fields.length + 1];
    command[0] = "firn:registers";
    System.arraycopy(fields, 0, command, 1, fields.length);
    Admin.ask(server, "HSET", command);

    List<Register> found = store.scan("n/");
    assertThat(found).hasSize(count).doesNotHaveDuplicates();
    assertThat(store.scan("n/1199")).hasSize(11);
  }
}
