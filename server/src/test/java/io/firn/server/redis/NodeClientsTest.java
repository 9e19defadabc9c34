package io.firn.server.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.server.RunningServer;
import io.firn.testkit.Sizes;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Redis clients of Node give exact IDs with their default settings. In its large size only, and
 * only where {@code npm} can install them: else the output says so, or the test fails if {@value
 * #REQUIRE} is 1.
 */
@Timeout(300)
final class NodeClientsTest {

  private static final String REQUIRE = "FIRN_REQUIRE_CLIENTS";

  private static final int IDS = 200;

  private static final String SCRIPT =
      """
      import {createClient} from 'redis';
      import Redis from 'ioredis';

      const port = Number(process.argv[2]);
      const one = createClient({socket: {port}});
      await one.connect();
      const two = new Redis(port);
      const ids = [];
      for (let i = 0; i < %d; i++) {
        ids.push(await one.incr('orders'), await two.incr('orders'));
      }
      ids.push(...(await Promise.all(Array.from({length: 100}, () => one.incr('orders')))));
      ids.push(...(await two.call('NEXT', 'orders', 'COUNT', '100')));
      console.log(ids.join('\\n'));
      await one.quit();
      await two.quit();
      """
          .formatted(IDS);

  @Test
  void getExactIds(@TempDir Path directory) throws Exception {
    assumeTrue(Sizes.isDeep(), "in the large size only");
    Files.writeString(directory.resolve("package.json"), "{\"type\": \"module\"}");
    boolean installed =
        runs(
            directory, "npm", "install", "--no-audit", "--no-fund", "redis@6.3.1", "ioredis@6.0.0");
    if (!installed) {
      System.out.println("not tried: node-redis and ioredis (expected: npm installs them)");
    }
    assertThat(installed || !"1".equals(System.getenv(REQUIRE))).as("npm installs them").isTrue();
    assumeTrue(installed, "npm installs the clients");
    Path script = Files.writeString(directory.resolve("ids.mjs"), SCRIPT);
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new)) {
      Path out = directory.resolve("out");
      Process node =
          new ProcessBuilder("node", script.toString(), "" + server.address().getPort())
              .directory(directory.toFile())
              .redirectOutput(out.toFile())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      assertThat(node.waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(node.exitValue()).isZero();
      List<String> ids = Files.readAllLines(out, UTF_8);
      assertThat(ids).hasSize(2 * IDS + 200).doesNotHaveDuplicates();
      assertThat(ids).allMatch(id -> id.matches("[0-9]{18}"));
    }
  }

  private static boolean runs(Path directory, String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(new File("/dev/null"))
              .start();
      boolean ended = process.waitFor(120, TimeUnit.SECONDS);
      process.destroyForcibly();
      return ended && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // no such program
    }
  }
}
