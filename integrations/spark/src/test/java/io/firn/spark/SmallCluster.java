package io.firn.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;

/**
 * A standalone master and two workers in this process, which start executors in processes of their
 * own. {@code local[n]} has no speculation and loses no output of a task. {@code local-cluster} has
 * all executors on one host, where Spark starts no second attempt; here each worker has its own.
 */
final class SmallCluster implements AutoCloseable {

  private final List<RpcEnv> parts = new ArrayList<>();
  private final String address;

  SmallCluster(Path directory) throws IOException {
    Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
    SparkConf conf = new SparkConf().set("spark.master.rest.enabled", "false");
    RpcEnv master = Master.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, conf)._1();
    parts.add(master);
    address = "spark://127.0.0.1:" + master.address().port();
    for (int i = 0; i < 2; i++) {
      parts.add(
          Worker.startRpcEnvAndEndpoint(
              "127.0.0." + (2 + i),
              0,
              0,
              1,
              1024,
              new String[] {address},
              directory.resolve("worker" + i).toString(),
              Option.apply(i),
              conf,
              Option.empty()));
    }
  }

  String address() {
    return address;
  }

  @Override
  public void close() {
    for (int i = parts.size() - 1; i >= 0; i--) {
      parts.get(i).shutdown();
      parts.get(i).awaitTermination();
    }
  }
}
