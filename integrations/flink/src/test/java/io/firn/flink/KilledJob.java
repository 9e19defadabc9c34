package io.firn.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;

/** A job whose tasks and whose cluster are killed between two checkpoints. */
final class KilledJob {

  private static final Duration ON_DEMAND = Duration.ofHours(1);
  private static final Duration OFTEN = Duration.ofMillis(200);

  private final java.nio.file.Path out;
  private final java.nio.file.Path checkpoints;
  private final int rows;
  private final boolean ends;

  /**
   * Creates one that has not run, with its checkpoints and output in that folder.
   *
   * @param ends whether its source has an end; else it is stopped when its rows were committed
   */
  KilledJob(java.nio.file.Path directory, int rows, boolean ends) {
    out = directory.resolve("out");
    checkpoints = directory.resolve("checkpoints");
    this.rows = rows;
    this.ends = ends;
    Seen.reset();
  }

  /** Gives the rows of the input IDs. */
  interface Stamping {
    DataStream<String> stamp(StreamExecutionEnvironment environment);
  }

  private StreamExecutionEnvironment job(Stamping stamping, int parallelism, Duration interval) {
    StreamExecutionEnvironment environment =
        Cluster.environment(checkpoints, parallelism, interval);
    stamping
        .stamp(environment)
        .rebalance()
        .map(Seen::keep)
        .sinkTo(
            FileSink.forRowFormat(new Path(out.toUri()), new SimpleStringEncoder<String>())
                .withRollingPolicy(OnCheckpointRollingPolicy.build())
                .build());
    return environment;
  }

  /** Kills the tasks, then the cluster, and continues with another parallelism to the end. */
  void runAndKill(Stamping stamping) throws Exception {
    killedBetweenCheckpoints(stamping);
    try (Cluster cluster = Cluster.start()) {
      await(
          cluster,
          cluster.restore(job(stamping, 3, OFTEN), Cluster.newestCheckpoint(checkpoints)),
          rows);
    }
    assertThat(Seen.ALL).hasSizeGreaterThan(rows); // some were processed twice
    assertThat(Seen.committed(out)).hasSize(rows);
    assertThat(Seen.idsByRow(Seen.committed(out))).hasSize(rows);
    Seen.noIdHasTwoRows(Seen.committed(out));
    Seen.noRowHasTwoIds(Seen.committed(out));
    Seen.noIdHasTwoRows(Seen.ALL);
  }

  private void killedBetweenCheckpoints(Stamping stamping) throws Exception {
    try (Cluster cluster = Cluster.start()) {
      JobID job = cluster.submit(job(stamping, 2, ON_DEMAND));
      Cluster.awaitMoreRows(100);
      cluster.checkpoint(job);
      Cluster.awaitMoreRows(50);
      cluster.killTasks();
      Cluster.awaitMoreRows(150);
      cluster.checkpoint(job);
      Cluster.awaitMoreRows(50);
    }
    Seen.permit(10 * rows);
  }

  private void await(Cluster cluster, JobID job, int committed) throws Exception {
    if (ends) {
      assertThat(cluster.await(job)).isEmpty();
    } else {
      Cluster.await(committed + " committed rows", () -> Seen.committed(out).size() >= committed);
    }
  }

  /** Stops after a checkpoint; returns why the restore of it failed. */
  String runAndRestore(Stamping stamping) throws Exception {
    try (Cluster cluster = Cluster.start()) {
      JobID job = cluster.submit(job(stamping, 2, ON_DEMAND));
      Cluster.awaitMoreRows(100);
      cluster.checkpoint(job);
    }
    Seen.permit(10 * rows);
    try (Cluster cluster = Cluster.start()) {
      return cluster.await(cluster.restore(once(stamping), Cluster.newestCheckpoint(checkpoints)));
    }
  }

  /** Runs the same job from the beginning, without a checkpoint, to the end of its input. */
  void runAnew(Stamping stamping, int left) throws Exception {
    int before = Seen.committed(out).size();
    try (Cluster cluster = Cluster.start()) {
      await(cluster, cluster.submit(job(stamping, 1, OFTEN)), before + left);
    }
    Seen.noRowHasTwoIds(Seen.ALL);
    Seen.noIdHasTwoRows(Seen.ALL);
  }

  /** Runs a job that is not started again; returns why it failed. */
  String runOnce(Stamping stamping) throws Exception {
    try (Cluster cluster = Cluster.start()) {
      return cluster.await(cluster.submit(once(stamping)));
    }
  }

  private StreamExecutionEnvironment once(Stamping stamping) {
    StreamExecutionEnvironment environment = job(stamping, 2, OFTEN);
    Configuration never = new Configuration();
    never.setString("restart-strategy.type", "none");
    environment.configure(never);
    return environment;
  }
}
