package io.firn.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A cluster in this process, which can be killed. */
final class Cluster implements AutoCloseable {

  private final MiniCluster cluster;

  private Cluster(MiniCluster cluster) {
    this.cluster = cluster;
  }

  static Cluster start() throws Exception {
    Configuration settings = new Configuration();
    settings.setString("rest.port", "0");
    settings.setString("rest.bind-port", "0");
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(settings)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(4)
                .build());
    cluster.start();
    return new Cluster(cluster);
  }

  /** Returns an environment whose checkpoints are kept in that folder. */
  static StreamExecutionEnvironment environment(
      Path checkpoints, int parallelism, Duration interval) {
    Configuration settings = new Configuration();
    settings.setString("restart-strategy.type", "fixed-delay");
    settings.setString("restart-strategy.fixed-delay.attempts", "1000");
    settings.setString("restart-strategy.fixed-delay.delay", "100 ms");
    settings.setString("execution.checkpointing.dir", checkpoints.toUri().toString());
    settings.setString("state.checkpoints.dir", checkpoints.toUri().toString());
    settings.setString(
        "execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(settings);
    environment.setParallelism(parallelism);
    environment.enableCheckpointing(interval.toMillis());
    return environment;
  }

  JobID submit(StreamExecutionEnvironment environment) throws Exception {
    return submit(environment.getStreamGraph().getJobGraph());
  }

  JobID restore(StreamExecutionEnvironment environment, Path checkpoint) throws Exception {
    JobGraph job = environment.getStreamGraph().getJobGraph();
    job.setSavepointRestoreSettings(
        SavepointRestoreSettings.forPath(checkpoint.toUri().toString(), false));
    return submit(job);
  }

  private JobID submit(JobGraph job) throws Exception {
    return cluster.submitJob(job).get(2, TimeUnit.MINUTES).getJobID();
  }

  void checkpoint(JobID job) throws Exception {
    cluster.triggerCheckpoint(job, CheckpointType.FULL).get(2, TimeUnit.MINUTES);
  }

  /** Kills the process of the tasks, and starts another one. */
  void killTasks() throws Exception {
    cluster.terminateTaskManager(0).get(2, TimeUnit.MINUTES);
    cluster.startTaskManager();
  }

  /** Waits until the job has ended, and returns the reason if it failed. */
  String await(JobID job) throws Exception {
    await("the end", () -> status(job).isGloballyTerminalState());
    return cluster
        .requestJobResult(job)
        .get(2, TimeUnit.MINUTES)
        .getSerializedThrowable()
        .map(failure -> failure.getFullStringifiedStackTrace())
        .orElse("");
  }

  private JobStatus status(JobID job) {
    try {
      return cluster.getJobStatus(job).get(2, TimeUnit.MINUTES);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  static void await(String what, BooleanSupplier done) {
    long begin = System.nanoTime();
    while (!done.getAsBoolean()) {
      assertThat(System.nanoTime() - begin).as(what).isLessThan(Duration.ofMinutes(3).toNanos());
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  static void awaitMoreRows(int count) {
    int before = Seen.ALL.size();
    Seen.permit(count);
    await(count + " more rows", () -> Seen.ALL.size() >= before + count);
  }

  /** Returns the newest checkpoint that is complete. */
  static Path newestCheckpoint(Path checkpoints) throws IOException {
    try (Stream<Path> files = Files.walk(checkpoints)) {
      return files
          .filter(file -> file.getFileName().toString().equals("_metadata"))
          .map(Path::getParent)
          .max(Comparator.comparingInt(Cluster::number))
          .orElseThrow();
    }
  }

  private static int number(Path checkpoint) {
    return Integer.parseInt(checkpoint.getFileName().toString().substring("chk-".length()));
  }

  @Override
  public void close() {
    try {
      cluster.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
