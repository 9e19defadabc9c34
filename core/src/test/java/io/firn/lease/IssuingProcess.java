package io.firn.lease;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.store.FileRegisterStore;
import io.firn.testkit.ForwardingTimeSource;
import io.firn.testkit.Sizes;
import io.firn.time.TimeSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Issues IDs under a lease on a file store and writes all of them to a file, until it is told to
 * {@code stop}. A record of the file is the first of some IDs that follow each other, and how many.
 */
final class IssuingProcess {

  static final int RECORD_BYTES = Long.BYTES + Integer.BYTES;
  private static final int BATCH = Sizes.deep(1 << 11, 1 << 16);

  private IssuingProcess() {}

  /** The clock of the host, and so far ahead of it. */
  private static final class Offset extends ForwardingTimeSource {
    private volatile long millis;

    Offset() {
      super(TimeSource.system());
    }

    @Override
    public long currentTimeMillis() {
      return super.currentTimeMillis() + millis;
    }
  }

  /**
   * Arguments: directory, layout, instance, window, allowed clock skew, timeout (each in ms), how
   * far the clock is ahead (ms), IDs to issue at most, file.
   */
  public static void main(String[] arguments) throws IOException {
    Offset time = new Offset();
    time.millis = Long.parseLong(arguments[6]);
    LeaseConfig lease =
        LeaseConfig.builder(FileRegisterStore.open(Path.of(arguments[0])), "orders")
            .instance(arguments[2])
            .window(Duration.ofMillis(Long.parseLong(arguments[3])))
            .maxClockSkew(Duration.ofMillis(Long.parseLong(arguments[4])))
            .acquireTimeout(Duration.ofMillis(Long.parseLong(arguments[5])))
            .build();
    try (FileChannel out =
            FileChannel.open(
                Path.of(arguments[8]), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        Snowflake snowflake =
            Snowflake.builder()
                .layout(IdLayout.of(arguments[1]))
                .maxWait(Duration.ofMillis(200))
                .lease(lease)
                .timeSource(time)
                .build()) {
      issue(snowflake, time, Long.parseLong(arguments[7]), out);
    } catch (FirnException e) {
      System.out.println("refused " + e.getMessage());
    }
  }

  private static void issue(Snowflake snowflake, Offset time, long most, FileChannel out)
      throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Recorder recorder = new Recorder(snowflake.layout(), out);
    long[] ids = new long[BATCH];
    long issued = 0;
    long refusals = 0;
    long worker = -1;
    while (issued < most) {
      if (in.ready()) {
        String command = in.readLine();
        if (command.equals("stop")) {
          break;
        }
        time.millis = Long.parseLong(command);
      }
      try {
        snowflake.nextIds(ids, 0, ids.length);
      } catch (FirnException e) {
        refusals++;
        time.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        continue;
      }
      recorder.record(ids);
      issued += ids.length;
      long now = snowflake.layout().parse(ids[ids.length - 1]).worker();
      if (now != worker) {
        worker = now;
        System.out.println("issues with worker " + worker);
      }
      time.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    System.out.println("issued " + issued + " in batches, refused " + refusals);
  }

  /** Writes what the operating system keeps when this process is killed. */
  private static final class Recorder {
    private final long step;
    private final FileChannel out;
    private final ByteBuffer buffer = ByteBuffer.allocate(BATCH / 16 * RECORD_BYTES);

    Recorder(IdLayout layout, FileChannel out) {
      step = 1L << layout.field(IdLayout.Kind.SEQUENCE).orElseThrow().shift();
      this.out = out;
    }

    void record(long[] ids) throws IOException {
      int begin = 0;
      for (int i = 1; i <= ids.length; i++) {
        if (i == ids.length || ids[i] != ids[i - 1] + step) {
          buffer.putLong(ids[begin]).putInt(i - begin);
          begin = i;
        }
      }
      buffer.flip();
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
      buffer.clear();
    }
  }
}
