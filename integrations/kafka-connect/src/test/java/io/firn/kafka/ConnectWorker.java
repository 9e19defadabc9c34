package io.firn.kafka;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.connect.cli.ConnectDistributed;
import org.apache.kafka.connect.cli.ConnectStandalone;
import org.apache.kafka.connect.runtime.Connect;
import org.apache.kafka.connect.runtime.Herder;
import org.apache.kafka.connect.runtime.RestartRequest;
import org.apache.kafka.connect.runtime.rest.entities.ConnectorInfo;
import org.apache.kafka.connect.runtime.rest.entities.ConnectorStateInfo;
import org.apache.kafka.connect.util.FutureCallback;

/** A worker of Kafka Connect, in this process. */
final class ConnectWorker implements AutoCloseable {

  private final Connect<? extends Herder> connect;

  private ConnectWorker(Connect<? extends Herder> connect) {
    this.connect = connect;
  }

  /** Starts a standalone worker. */
  static ConnectWorker start(KafkaBroker broker, Path directory) {
    Map<String, String> settings = settings(broker);
    settings.put("offset.storage.file.filename", directory.resolve("offsets").toString());
    return new ConnectWorker(new ConnectStandalone().startConnect(settings));
  }

  /** Starts a worker of a cluster, whose connectors and tasks go to others when it ends. */
  static ConnectWorker join(KafkaBroker broker) {
    Map<String, String> settings = settings(broker);
    settings.put("group.id", "cluster");
    settings.put("scheduled.rebalance.max.delay.ms", "0");
    for (String storage : List.of("config", "offset", "status")) {
      settings.put(storage + ".storage.topic", "cluster-" + storage);
      settings.put(storage + ".storage.replication.factor", "1");
    }
    return new ConnectWorker(new ConnectDistributed().startConnect(settings));
  }

  private static Map<String, String> settings(KafkaBroker broker) {
    Map<String, String> settings = new HashMap<>();
    settings.put("bootstrap.servers", broker.address());
    settings.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    settings.put("value.converter", "org.apache.kafka.connect.json.JsonConverter");
    settings.put("value.converter.schemas.enable", "false");
    settings.put("offset.flush.interval.ms", "600000");
    settings.put("listeners", "http://127.0.0.1:0");
    settings.put("plugin.discovery", "service_load");
    return settings;
  }

  /** Starts a connector, or changes its settings, which starts its tasks again. */
  void put(String connector, Map<String, String> settings) throws Exception {
    FutureCallback<Herder.Created<ConnectorInfo>> done = new FutureCallback<>();
    connect.herder().putConnectorConfig(connector, settings, true, done);
    done.get(2, TimeUnit.MINUTES);
  }

  void delete(String connector) throws Exception {
    FutureCallback<Herder.Created<ConnectorInfo>> done = new FutureCallback<>();
    connect.herder().deleteConnectorConfig(connector, done);
    done.get(2, TimeUnit.MINUTES);
  }

  /** Starts what failed again. */
  void restart(String connector) throws Exception {
    FutureCallback<ConnectorStateInfo> done = new FutureCallback<>();
    connect.herder().restartConnectorAndTasks(new RestartRequest(connector, true, true), done);
    done.get(2, TimeUnit.MINUTES);
  }

  /** Returns the workers that run the tasks of a connector. */
  Set<String> workersOf(String connector) {
    return connect.herder().connectorStatus(connector).tasks().stream()
        .filter(task -> task.state().equals("RUNNING"))
        .map(ConnectorStateInfo.TaskState::workerId)
        .collect(Collectors.toSet());
  }

  /** Returns whether a task of the connector failed. */
  boolean hasFailed(String connector) {
    return connect.herder().connectorStatus(connector).tasks().stream()
        .anyMatch(task -> task.state().equals("FAILED"));
  }

  @Override
  public void close() {
    connect.stop();
    connect.awaitStop();
  }
}
