package io.firn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.block.BlockName;
import io.firn.block.IdBlocks;
import io.firn.store.FileRegisterStore;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.testkit.ManualTimeSource;
import io.firn.testkit.SwitchedStore;
import io.firn.time.TimeSource;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
final class FirnIdsTest {

  private static final Schema SCHEMA =
      SchemaBuilder.struct().name("Order").field("number", Schema.INT32_SCHEMA).build();

  @TempDir Path directory;

  private Map<String, Object> settings(String... more) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("store", "file:" + directory);
    settings.put("namespace", "orders");
    settings.put("field", "id");
    settings.put("topic.generation", "1");
    for (int i = 0; i < more.length; i += 2) {
      if (more[i + 1] == null) {
        settings.remove(more[i]);
      } else {
        settings.put(more[i], more[i + 1]);
      }
    }
    return settings;
  }

  private FirnIds<SinkRecord> sink(String... more) {
    FirnIds<SinkRecord> ids = new FirnIds<>();
    ids.configure(settings(more));
    return ids;
  }

  private static SinkRecord record(Schema schema, Object value, int partition, long offset) {
    return new SinkRecord(
        "orders", partition, null, null, schema, value, offset, 0L, TimestampType.CREATE_TIME);
  }

  private static SinkRecord map(long offset) {
    return record(null, Map.of("number", 7), 0, offset);
  }

  private static Object id(SinkRecord record) {
    return ((Map<?, ?>) record.value()).get("id");
  }

  @Test
  void theIdIsTheFieldOfAMap() {
    try (FirnIds<SinkRecord> ids = sink()) {
      SinkRecord stamped = ids.apply(map(5));
      assertThat(((Map<?, ?>) stamped.value()).keySet()).hasSize(2);
      assertThat(((Map<?, ?>) stamped.value()).get("number")).isEqualTo(7);
      assertThat(id(stamped)).isInstanceOf(Long.class);
      assertThat(id(ids.apply(map(5)))).isEqualTo(id(stamped));
      assertThat((Long) id(ids.apply(map(6)))).isEqualTo((Long) id(stamped) + 1);
    }
  }

  @Test
  void theIdIsTheLastFieldOfAStruct() {
    Struct value = new Struct(SCHEMA).put("number", 7);
    try (FirnIds<SinkRecord> ids = sink("format", "decimal")) {
      SinkRecord stamped = ids.apply(record(SCHEMA, value, 2, 5));
      Struct struct = (Struct) stamped.value();
      assertThat(struct.getInt32("number")).isEqualTo(7);
      assertThat(struct.getString("id")).matches("[0-9]+");
      assertThat(stamped.valueSchema().name()).isEqualTo("Order");
      assertThat(struct.schema()).isEqualTo(stamped.valueSchema());
      assertThat(stamped.originalKafkaOffset()).isEqualTo(5);
    }
  }

  /** {@link Struct#get} gives the default where a field has none of its own. */
  @Test
  void aFieldWithoutAValueDoesNotGetItsDefault() {
    Schema schema =
        SchemaBuilder.struct()
            .field("rebate", SchemaBuilder.int32().optional().defaultValue(10).build())
            .build();
    Struct value = new Struct(schema).put("rebate", null);
    try (FirnIds<SinkRecord> ids = sink()) {
      Struct stamped = (Struct) ids.apply(record(schema, value, 0, 5)).value();
      assertThat(stamped.getWithoutDefault("rebate")).isNull();
    }
  }

  @Test
  void aRequiredFieldThatIsNotSetKeepsItsDefault() {
    Schema schema =
        SchemaBuilder.struct()
            .field("state", SchemaBuilder.string().defaultValue("new").build())
            .build();
    Struct value = new Struct(schema);
    value.validate();
    try (FirnIds<SinkRecord> ids = sink()) {
      Struct stamped = (Struct) ids.apply(record(schema, value, 0, 5)).value();
      stamped.validate();
      assertThat(stamped.get("state")).isEqualTo("new");
      assertThat(stamped.getWithoutDefault("state")).isNull();
    }
  }

  /** The worker logs the settings of transforms, and shows them over HTTP. */
  @Test
  void theAddressOfTheStoreIsHiddenBecauseItMayHaveAPassword() {
    try (FirnIds<SinkRecord> ids = new FirnIds<>()) {
      Object store = ids.config().parse(settings("store", "redis://u:hunter2@host")).get("store");
      assertThat(store).hasToString("[hidden]");
    }
  }

  @Test
  void theIdIsAHeaderOfAnyValue() {
    try (FirnIds<SinkRecord> ids = sink("field", null, "header", "firn-id")) {
      SinkRecord deleted = ids.apply(record(null, null, 0, 5));
      assertThat(deleted.value()).isNull();
      assertThat(deleted.headers().lastWithName("firn-id").value())
          .isEqualTo(
              ids.apply(record(null, "text", 0, 5)).headers().lastWithName("firn-id").value());
    }
  }

  /** As the header of InsertHeader of Kafka. */
  @Test
  void aHeaderThatIsThereStaysBeforeTheId() {
    try (FirnIds<SinkRecord> ids = sink("field", null, "header", "id")) {
      SinkRecord own = record(null, "text", 0, 5);
      own.headers().addString("id", "mine");
      assertThat(ids.apply(own).headers()).extracting(Header::value).first().isEqualTo("mine");
      assertThat(ids.apply(own).headers().lastWithName("id").value()).isInstanceOf(Long.class);
      assertThat(own.headers()).hasSize(1);
    }
  }

  @Test
  void aRecordWithoutAValueHasNoField() {
    try (FirnIds<SinkRecord> ids = sink()) {
      SinkRecord deleted = record(null, null, 0, 5);
      assertThat(ids.apply(deleted)).isSameAs(deleted);
    }
  }

  @Test
  void pagesOfPartitionsAreNamedBlocks() {
    try (FirnIds<SinkRecord> ids = sink("block.size", "100");
        RegisterStore store = FileRegisterStore.open(directory)) {
      IdBlocks blocks = IdBlocks.of(store, "orders");
      BlockName name = new BlockName("kafka:orders:1", "rows-per-block=100", 3, 12);
      long id = blocks.named(name, 100).get(34);
      assertThat(id(ids.apply(record(null, Map.of(), 3, 1234)))).isEqualTo(id);
    }
  }

  /** Two connectors of one topic agree, also if one of them writes it under another name. */
  @Test
  void aRecordThatATransformMovedKeepsItsId() {
    try (FirnIds<SinkRecord> ids = sink()) {
      SinkRecord moved = map(5).newRecord("moved", 4, null, null, null, Map.of("number", 7), 0L);
      assertThat(id(ids.apply(moved))).isEqualTo(id(ids.apply(map(5))));
    }
  }

  @Test
  void manyPagesGiveEveryOffsetItsOwnId() {
    Set<Object> seen = new HashSet<>();
    try (FirnIds<SinkRecord> ids = sink("block.size", "3")) {
      for (int partition = 0; partition < 4; partition++) {
        for (long offset = 0; offset < 50; offset++) {
          seen.add(id(ids.apply(record(null, Map.of(), partition, offset))));
        }
      }
    }
    assertThat(seen).hasSize(200);
  }

  @Test
  void anotherBlockSizeIsRefusedWithBoth() {
    try (FirnIds<SinkRecord> ids = sink("block.size", "100");
        FirnIds<SinkRecord> other = sink("block.size", "200")) {
      ids.apply(map(1));
      assertThatThrownBy(() -> other.apply(map(1)))
          .isInstanceOf(ConnectException.class)
          .isNotInstanceOf(RetriableException.class)
          .hasMessageContainingAll("has shape rows-per-block=200", "had shape rows-per-block=100");
    }
  }

  @Test
  void anotherGenerationHasOtherIds() {
    try (FirnIds<SinkRecord> ids = sink();
        FirnIds<SinkRecord> other = sink("topic.generation", "2")) {
      assertThat(id(other.apply(map(1)))).isNotEqualTo(id(ids.apply(map(1))));
    }
  }

  @Test
  void aTopicWithoutIdentityIsRefused() {
    try (FirnIds<SinkRecord> ids = sink("topic.generation", null)) {
      assertThatThrownBy(() -> ids.apply(map(1)))
          .isInstanceOf(ConnectException.class)
          .isNotInstanceOf(RetriableException.class)
          .hasMessageContaining("admin.bootstrap.servers, topic.generation: none")
          .hasMessageContaining("deleted and created again begins with offset 0");
    }
  }

  /** A topic that is deleted and created again under the eyes of a task. */
  private static final class CreatedAgain implements TopicIdentity {
    String id = "first";
    int asked;

    @Override
    public String of(String topic) {
      asked++;
      return id;
    }

    @Override
    public void close() {}
  }

  private static OffsetIds offsets(RegisterStore store, TopicIdentity topic, TimeSource time) {
    return OffsetIds.builder(store, "orders")
        .blockSize(100)
        .identity(topic)
        .timeSource(time)
        .build();
  }

  @Test
  void aTopicWhoseOffsetsDoNotGrowIsAskedForItsIdAgain() {
    CreatedAgain topic = new CreatedAgain();
    try (OffsetIds ids = offsets(new InMemoryRegisterStore(), topic, TimeSource.system())) {
      long before = ids.idOf("orders", 0, 0);
      ids.idOf("orders", 0, 1);
      assertThat(topic.asked).isEqualTo(1);
      topic.id = "second";
      assertThat(ids.idOf("orders", 0, 0)).isNotEqualTo(before);
      assertThat(topic.asked).isEqualTo(2);
      topic.id = "first";
      assertThat(ids.idOf("orders", 0, 0)).isEqualTo(before);
    }
  }

  @Test
  void aTopicIsAskedForItsIdAgainAtTheFirstRecordOfAPartition() {
    RegisterStore store = new InMemoryRegisterStore();
    CreatedAgain topic = new CreatedAgain();
    try (OffsetIds ids = offsets(store, topic, TimeSource.system());
        OffsetIds other = offsets(store, topic, TimeSource.system())) {
      ids.idOf("orders", 0, 0);
      long before = other.idOf("orders", 1, 7);
      topic.id = "second";
      assertThat(ids.idOf("orders", 1, 7)).isNotEqualTo(before);
      ids.idOf("orders", 1, 8);
      ids.idOf("orders", 0, 1);
      assertThat(topic.asked).isEqualTo(3);
    }
  }

  @Test
  void aTopicIsAskedForItsIdAgainAfterHalfAMinute() {
    RegisterStore store = new InMemoryRegisterStore();
    ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
    CreatedAgain topic = new CreatedAgain();
    try (OffsetIds ids = offsets(store, topic, time)) {
      ids.idOf("orders", 0, 7);
      topic.id = "second";
      time.advance(Duration.ofSeconds(30).minusNanos(1));
      long old = ids.idOf("orders", 0, 8);
      time.advance(Duration.ofNanos(1));
      long first = ids.idOf("orders", 0, 9);
      assertThat(first).isNotEqualTo(old + 1);
      assertThat(ids.idOf("orders", 0, 10)).isEqualTo(first + 1);
      assertThat(topic.asked).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "field||field, header: both or none (expected: one of them)",
        "header|h|field, header: both or none (expected: one of them)",
        "admin.bootstrap.servers|localhost:1|topic.generation, admin.bootstrap.servers: both",
        "field|''|Invalid value  for configuration field: String must be non-empty",
        "header|''|Invalid value  for configuration header: String must be non-empty",
        "format|roman|format: roman (expected: ",
        "job|a b|job: a b (expected: 1..31 of",
        "topic.generation|a b|topic.generation: a b (expected: 1..32 of",
        "namespace|a b|namespace: a b (expected: ",
        "store||Missing required configuration \"store\"",
        "namespace||Missing required configuration \"namespace\"",
        "block.size|0|Invalid value 0 for configuration block.size: Value must be at least 1",
        "block.size|1099511627777|Invalid value 1099511627777 for configuration block.size",
      })
  void settingsThatContradictAreRefused(String name, String value, String message) {
    assertThatThrownBy(() -> sink(name, value))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }

  /** The worker asks this before it creates a connector, and configures the transform later. */
  @ParameterizedTest
  @CsvSource({
    "namespace, a b",
    "format, roman",
    "job, a b",
    "topic.generation, a b",
    "block.size, 0",
    "field, ''",
  })
  void valuesOutOfRangeAreRefusedWhereAConnectorIsCreated(String name, String value) {
    Map<String, String> settings = new HashMap<>();
    settings(name, value).forEach((key, each) -> settings.put(key, each.toString()));
    try (FirnIds<SinkRecord> ids = new FirnIds<>()) {
      assertThat(ids.config().validate(settings))
          .filteredOn(each -> !each.errorMessages().isEmpty())
          .extracting(ConfigValue::name)
          .containsExactly(name);
    }
  }

  @Test
  void aStoreThatThereIsNotFailsTheTask() {
    try (FirnIds<SinkRecord> ids = sink("store", "nothing:here")) {
      assertThatThrownBy(() -> ids.apply(map(1)))
          .isInstanceOf(ConnectException.class)
          .isNotInstanceOf(RetriableException.class)
          .hasMessageContaining("store: nothing:here (expected: one of ");
    }
  }

  @Test
  void aWrongSettingOfTheClientFailsTheTask() {
    try (FirnIds<SinkRecord> ids =
        sink(
            "topic.generation",
            null,
            "admin.bootstrap.servers",
            "127.0.0.1:1",
            "admin.request.timeout.ms",
            "soon")) {
      assertThatThrownBy(() -> ids.apply(map(1)))
          .isInstanceOf(ConnectException.class)
          .isNotInstanceOf(RetriableException.class)
          .hasMessageContaining("Invalid value soon for configuration request.timeout.ms");
    }
  }

  @Test
  void noClientIsLeftWhereTheStoreIsDown() {
    SwitchedStore store = new SwitchedStore();
    store.down(true);
    OffsetIds.Builder builder =
        OffsetIds.builder(store, "orders")
            .topicIds(Map.of("bootstrap.servers", "127.0.0.1:1", "client.id", "left"));
    assertThatThrownBy(builder::build).isInstanceOf(StoreException.class);
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.endsWith("left"));
  }

  @Test
  void aFieldThatIsThereIsNotOverwritten() {
    try (FirnIds<SinkRecord> ids = sink()) {
      assertThatThrownBy(() -> ids.apply(record(null, Map.of("id", 1), 0, 1)))
          .isInstanceOf(DataException.class)
          .hasMessage("field: id (expected: one that the values of topic orders do not have)");
      assertThatThrownBy(() -> ids.apply(record(null, "text", 0, 1)))
          .isInstanceOf(DataException.class)
          .hasMessageContaining(
              "value: java.lang.String (expected: a Struct, or a Map without a schema");
    }
  }

  /** A field of another type than the values of the map would break its schema. */
  @Test
  void aMapWithASchemaIsRefused() {
    Schema schema = SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.STRING_SCHEMA).build();
    try (FirnIds<SinkRecord> ids = sink()) {
      assertThatThrownBy(() -> ids.apply(record(schema, Map.of("number", "7"), 0, 1)))
          .isInstanceOf(DataException.class)
          .hasMessage(
              "value: a Map with the schema Schema{MAP} (expected: a Struct, or a Map without a"
                  + " schema, for field id; else set header)");
    }
  }

  @Test
  void offsetsPastTheLastPageAreRefused() {
    try (FirnIds<SinkRecord> ids = sink("block.size", "2")) {
      assertThat(id(ids.apply(map(131_071)))).isNotNull();
      assertThatThrownBy(() -> ids.apply(map(131_072)))
          .isInstanceOf(ConnectException.class)
          .hasMessageContaining("index: 131072 (expected: below 131072");
    }
  }

  @Test
  void aSourceGivesEveryRecordANewId() {
    Set<Object> seen = new HashSet<>();
    for (int task = 0; task < 3; task++) {
      try (FirnIds<SourceRecord> ids = new FirnIds<>()) {
        ids.configure(settings("topic.generation", null, "block.size", "100"));
        for (int i = 0; i < 250; i++) {
          SourceRecord record =
              new SourceRecord(Map.of(), Map.of("line", i), "orders", null, Map.of("number", i));
          Object id = ((Map<?, ?>) ids.apply(record).value()).get("id");
          assertThat(IdLayout.CLASSIC.parse((Long) id).worker()).isGreaterThan(0);
          seen.add(id);
        }
      }
    }
    assertThat(seen).hasSize(750);
  }
}
