package io.firn.lease;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.store.FileRegisterStore;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Issues IDs under a lease on a file store, also across a change of layout, until it is stopped.
 */
final class ChangingProcess {

  private ChangingProcess() {}

  /** Arguments: directory, layout, next layout or none, instance, window (ms), file of the IDs. */
  public static void main(String[] arguments) throws IOException {
    LeaseConfig lease =
        LeaseConfig.builder(FileRegisterStore.open(Path.of(arguments[0])), "orders")
            .instance(arguments[3])
            .window(Duration.ofMillis(Long.parseLong(arguments[4])))
            .acquireTimeout(Duration.ofMinutes(2))
            .build();
    Snowflake.Builder builder = Snowflake.builder().layout(IdLayout.of(arguments[1])).lease(lease);
    if (!arguments[2].equals("none")) {
      builder.nextLayout(IdLayout.of(arguments[2]));
    }
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (DataOutputStream out =
            new DataOutputStream(
                new BufferedOutputStream(Files.newOutputStream(Path.of(arguments[5]))));
        Snowflake snowflake = builder.build()) {
      IdLayout said = null;
      boolean refused = false;
      while (!in.ready()) {
        try {
          for (int i = 0; i < 50; i++) {
            out.writeLong(snowflake.nextId());
          }
          if (!snowflake.layout().equals(said)) {
            said = snowflake.layout();
            System.out.println("issues with layout " + said);
          }
        } catch (FirnException e) {
          if (!refused
              && String.valueOf(e.getMessage()).contains("start it with the namespace's layout")) {
            refused = true;
            System.out.println("refused " + e.getMessage());
          }
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
    System.out.println("stopped");
  }
}
