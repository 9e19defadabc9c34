package io.firn.kafka;

import io.firn.FirnException;
import io.firn.block.BlockShapeException;
import io.firn.block.IdBlocks;
import io.firn.integration.FreshBlocks;
import io.firn.internal.Require;
import io.firn.store.RegisterStore;
import io.firn.text.IdFormat;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.header.Headers;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds an ID to each record, as a field of its value or as a header.
 *
 * <p>At a sink the ID is {@linkplain OffsetIds derived} from topic, partition and offset: a record
 * has the same ID whenever and wherever it is delivered. At a source there is no such place yet,
 * and each record that is read gets a new ID, also one that is read again.
 *
 * <p>A record without a value, as a compacted topic has it for a deleted key, has no field and
 * stays as it is; a header is added to it, too.
 *
 * @param <R> the type of records
 */
public final class FirnIds<R extends ConnectRecord<R>> implements Transformation<R> {

  private static final Logger LOG = LoggerFactory.getLogger(FirnIds.class);

  private static final String STORE = "store";
  private static final String NAMESPACE = "namespace";
  private static final String FIELD = "field";
  private static final String HEADER = "header";
  private static final String FORMAT = "format";
  private static final String JOB = "job";
  private static final String BLOCK_SIZE = "block.size";
  private static final String GENERATION = "topic.generation";
  private static final String ADMIN = "admin.";
  private static final String BOOTSTRAP = ADMIN + "bootstrap.servers";
  private static final int MAX_SCHEMAS = 64;

  private static final ConfigDef CONFIG =
      new ConfigDef()
          .define(STORE, ConfigDef.Type.PASSWORD, Importance.HIGH, "Address of the register store.")
          .define(
              NAMESPACE,
              ConfigDef.Type.STRING,
              ConfigDef.NO_DEFAULT_VALUE,
              refusedBy(Require::name),
              Importance.HIGH,
              "Namespace of the IDs.")
          .define(
              FIELD,
              ConfigDef.Type.STRING,
              null,
              new ConfigDef.NonEmptyString(),
              Importance.HIGH,
              "Field of the value that takes the ID.")
          .define(
              HEADER,
              ConfigDef.Type.STRING,
              null,
              new ConfigDef.NonEmptyString(),
              Importance.HIGH,
              "Header that takes the ID, not a field.")
          .define(
              FORMAT,
              ConfigDef.Type.STRING,
              null,
              refusedBy((name, value) -> IdFormat.of(value)),
              Importance.MEDIUM,
              "Text form of the ID, such as decimal; a number of 64 bits unless set.")
          .define(
              GENERATION,
              ConfigDef.Type.STRING,
              null,
              refusedBy(OffsetIds::requireGeneration),
              Importance.HIGH,
              "At a sink: names the generation of its topics; another one after a topic was deleted"
                  + " and created again. Not with admin.bootstrap.servers.")
          .define(
              BOOTSTRAP,
              ConfigDef.Type.STRING,
              null,
              Importance.HIGH,
              "At a sink: brokers that are asked for the IDs of topics, so that a topic that was"
                  + " created again gets new IDs. Other settings of the client as admin.*.")
          .define(
              JOB,
              ConfigDef.Type.STRING,
              "kafka",
              refusedBy(OffsetIds::requireJob),
              Importance.LOW,
              "At a sink: with what the names of the jobs begin.")
          .define(
              BLOCK_SIZE,
              ConfigDef.Type.LONG,
              OffsetIds.DEFAULT_BLOCK_SIZE,
              ConfigDef.Range.between(1, IdBlocks.MAX_SIZE),
              Importance.LOW,
              "How many IDs are reserved at once. At a sink it never changes for a topic.");

  private @Nullable AbstractConfig config;
  private Map<String, Object> admin = Map.of();
  private @Nullable IdFormat format;
  private @Nullable RegisterStore store;
  private @Nullable OffsetIds offsets;
  private @Nullable FreshBlocks fresh;
  private @Nullable String warned;

  private final Map<Schema, Schema> schemas =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Schema, Schema> eldest) {
          return size() > MAX_SCHEMAS;
        }
      };

  /** Returns a validator, which the worker asks before it creates a connector. */
  private static ConfigDef.Validator refusedBy(BiConsumer<String, String> rule) {
    return ConfigDef.LambdaValidator.with(
        (name, value) -> {
          if (value == null) {
            return; // not set
          }
          try {
            rule.accept(name, (String) value);
          } catch (IllegalArgumentException e) {
            throw new ConfigException(e.getMessage());
          }
        },
        () -> "");
  }

  /** Creates a transform, as Kafka Connect does. */
  public FirnIds() {}

  @Override
  public ConfigDef config() {
    return CONFIG;
  }

  @Override
  public String version() {
    String version = FirnIds.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public void configure(Map<String, ?> settings) {
    AbstractConfig read = new AbstractConfig(CONFIG, settings, false);
    if ((read.getString(FIELD) == null) == (read.getString(HEADER) == null)) {
      throw new ConfigException("field, header: both or none (expected: one of them)");
    }
    if (read.getString(GENERATION) != null && read.getString(BOOTSTRAP) != null) {
      throw new ConfigException(
          "topic.generation, admin.bootstrap.servers: both (expected: one of them)");
    }
    format = read.getString(FORMAT) == null ? null : IdFormat.of(read.getString(FORMAT));
    Map<String, Object> client = new HashMap<>();
    settings.forEach(
        (name, value) -> {
          if (name.startsWith(ADMIN)) {
            client.put(name.substring(ADMIN.length()), value);
          }
        });
    admin = client;
    config = read;
  }

  private AbstractConfig settings() {
    if (config == null) {
      throw new IllegalStateException("The transform was not configured; call configure() first");
    }
    return config;
  }

  @Override
  public R apply(R record) {
    String header = settings().getString(HEADER);
    if (header != null) {
      Headers headers = record.headers().duplicate();
      long id = idOf(record);
      headers.add(
          header,
          format == null ? id : format.format(id),
          format == null ? Schema.INT64_SCHEMA : Schema.STRING_SCHEMA);
      return with(record, record.valueSchema(), record.value(), headers);
    }
    Object value = record.value();
    if (value == null) {
      return record;
    }
    String field = settings().getString(FIELD);
    if (value instanceof Struct struct) {
      return stamped(record, struct, field);
    }
    if (value instanceof Map<?, ?> map && record.valueSchema() == null) {
      requireAbsent(!map.containsKey(field), field, record);
      Map<Object, Object> copy = new LinkedHashMap<>(map);
      copy.put(field, written(idOf(record)));
      return with(record, null, copy, record.headers());
    }
    throw new DataException(
        "value: "
            + (value instanceof Map
                ? "a Map with the schema " + record.valueSchema()
                : value.getClass().getName())
            + " (expected: a Struct, or a Map without a schema, for field "
            + field
            + "; else set header)");
  }

  private R stamped(R record, Struct struct, String field) {
    requireAbsent(struct.schema().field(field) == null, field, record);
    Schema schema = schemas.computeIfAbsent(struct.schema(), old -> with(old, field));
    Struct copy = new Struct(schema);
    for (Field old : struct.schema().fields()) {
      Object own = struct.getWithoutDefault(old.name());
      if (own != null) { // put refuses null in a required field, which has its default then
        copy.put(old.name(), own);
      }
    }
    copy.put(field, written(idOf(record)));
    return with(record, schema, copy, record.headers());
  }

  private Schema with(Schema old, String field) {
    SchemaBuilder builder =
        SchemaBuilder.struct().name(old.name()).version(old.version()).doc(old.doc());
    if (old.parameters() != null) {
      builder.parameters(old.parameters());
    }
    old.fields().forEach(each -> builder.field(each.name(), each.schema()));
    builder.field(field, format == null ? Schema.INT64_SCHEMA : Schema.STRING_SCHEMA);
    return old.isOptional() ? builder.optional().build() : builder.build();
  }

  private R with(R record, @Nullable Schema schema, @Nullable Object value, Headers headers) {
    return record.newRecord(
        record.topic(),
        record.kafkaPartition(),
        record.keySchema(),
        record.key(),
        schema,
        value,
        record.timestamp(),
        headers);
  }

  private static void requireAbsent(boolean absent, String field, ConnectRecord<?> record) {
    if (!absent) {
      throw new DataException(
          "field: "
              + field
              + " (expected: one that the values of topic "
              + record.topic()
              + " do not have)");
    }
  }

  private Object written(long id) {
    return format == null ? (Object) id : format.format(id);
  }

  private long idOf(R record) {
    try {
      return record instanceof SinkRecord sink
          ? offsets()
              .idOf(sink.originalTopic(), sink.originalKafkaPartition(), sink.originalKafkaOffset())
          : next();
    } catch (BlockShapeException | IllegalArgumentException | ConfigException e) {
      throw new ConnectException(e.getMessage(), e);
    } catch (ConnectException e) {
      throw e;
    } catch (FirnException | KafkaException e) {
      if (!String.valueOf(e.getMessage()).equals(warned)) { // the worker retries without a log line
        warned = String.valueOf(e.getMessage());
        LOG.warn("No ID for a record of topic {}, retried: {}", record.topic(), warned, e);
      }
      throw new RetriableException(e.getMessage(), e);
    }
  }

  private OffsetIds offsets() {
    if (offsets == null) {
      AbstractConfig settings = settings();
      OffsetIds.Builder builder =
          OffsetIds.builder(store(), settings.getString(NAMESPACE))
              .job(settings.getString(JOB))
              .blockSize(settings.getLong(BLOCK_SIZE));
      if (settings.getString(BOOTSTRAP) != null) {
        builder.topicIds(admin);
      } else if (settings.getString(GENERATION) != null) {
        builder.generation(settings.getString(GENERATION));
      } else {
        throw new ConnectException(
            "admin.bootstrap.servers, topic.generation: none (expected: one of them at a sink, for"
                + " a topic that is deleted and created again begins with offset 0, and its records"
                + " would get the IDs of others)");
      }
      offsets = builder.build();
    }
    return offsets;
  }

  private long next() {
    if (fresh == null) {
      AbstractConfig settings = settings();
      fresh =
          new FreshBlocks(
              IdBlocks.of(store(), settings.getString(NAMESPACE)), settings.getLong(BLOCK_SIZE));
    }
    return fresh.next();
  }

  private RegisterStore store() {
    if (store == null) {
      store = RegisterStore.open(settings().getPassword(STORE).value());
    }
    return Objects.requireNonNull(store);
  }

  @Override
  public void close() {
    if (offsets != null) {
      offsets.close();
    }
    if (store != null) {
      store.close();
    }
  }
}
