package io.firn.lease;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.internal.LeaseWindow;
import io.firn.internal.RecordText;
import io.firn.internal.UnreadableRecordException;
import io.firn.store.Register;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The file in which a process that ends while its store is down leaves the rest of its window to
 * its successor on the same host.
 *
 * <p>The rest is used once. The file is taken by a rename, which one process only achieves, and
 * emptied before it is judged, so another link of it is worth nothing. It holds its own device and
 * inode, which a copy does not have, and the boot of the host. An emptied file stays: its inode
 * would else be given to a copy. All of that is forced to the disk before the first ID.
 *
 * <p>No release was sent for such a window, so its register stays held up to the fence, and any
 * process that takes the worker then begins past it. The window is never renewed.
 */
final class CarryOver {

  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final String KIND = "firn-carry-over";
  private static final int FORMAT = 1;
  private static final int MAX_BYTES = 4_096;

  private final Path file;
  private final Path boot;
  private final LeaseConfig config;
  private final IdLayout layout;
  private final TimeSource time;

  CarryOver(Path file, Path boot, LeaseConfig config, IdLayout layout, TimeSource time) {
    this.file = file.toAbsolutePath();
    this.boot = boot;
    this.config = config;
    this.layout = layout;
    this.time = time;
  }

  /** Returns the carry-over of a lease; empty if none is configured. */
  static Optional<CarryOver> of(LeaseConfig config, IdLayout layout, TimeSource time) {
    return config.carryOver().map(file -> new CarryOver(file, BOOT, config, layout, time));
  }

  /**
   * Writes what is left of a window.
   *
   * @throws IOException if that fails; nothing is left then, except that a file whose directory
   *     could not be forced to the disk may stay
   */
  void write(LeaseWindow rest) throws IOException {
    Path fresh = beside("new");
    try {
      fill(fresh, rest);
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        spend();
      }
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      boolean unused = Files.deleteIfExists(fresh);
    }
    forceDirectory();
  }

  private void fill(Path fresh, LeaseWindow rest) throws IOException {
    try (FileChannel channel =
        FileChannel.open(fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(text(rest, attributes(fresh)).getBytes(UTF_8));
      while (bytes.hasRemaining()) {
        int unused = channel.write(bytes);
      }
      channel.force(true);
    }
  }

  private String text(LeaseWindow rest, Map<String, Object> attributes) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("namespace", config.namespace().name());
    fields.put("store", storeText());
    fields.put("layout", layout);
    fields.put("worker", rest.worker());
    fields.put("from", Instant.ofEpochMilli(rest.notBeforeMillis()));
    fields.put("until", Instant.ofEpochMilli(rest.notAfterMillis()));
    fields.put("boot", bootId());
    fields.put("device", attributes.get("dev"));
    fields.put("inode", attributes.get("ino"));
    String text = RecordText.write(KIND, FORMAT, fields);
    return text + " sum=" + sum(text) + "\n";
  }

  private String storeText() {
    return URLEncoder.encode(config.store().toString(), UTF_8);
  }

  private String bootId() throws IOException {
    return Files.readString(boot).strip();
  }

  private static String sum(String text) {
    CRC32 sum = new CRC32();
    sum.update(text.getBytes(UTF_8));
    return Long.toHexString(sum.getValue());
  }

  /**
   * Takes the file, and returns the rest of the window.
   *
   * @throws IOException if there is none that may be used; its message is the reason
   */
  LeaseWindow take() throws IOException {
    Path taken;
    try {
      taken = moveAside();
    } catch (NoSuchFileException e) {
      throw refused("it does not exist, or another process has taken it", e);
    }
    forceDirectory();
    Map<String, Object> attributes = attributes(taken);
    String text = Files.size(taken) > MAX_BYTES ? "" : Files.readString(taken);
    empty(taken);
    return checked(text, attributes);
  }

  /** Takes an unused file, so that no other process can use it. */
  private void spend() throws IOException {
    empty(moveAside());
  }

  /** Renames the file, and nothing else that has its name: that is not of this class. */
  private Path moveAside() throws IOException {
    BasicFileAttributes found =
        Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!found.isRegularFile()) {
      throw refused("it is not a regular file", null);
    }
    Path spent = beside("spent");
    Files.move(file, spent, StandardCopyOption.ATOMIC_MOVE);
    return spent;
  }

  private Path beside(String what) {
    return file.resolveSibling(file.getFileName() + "." + what + "-" + RecordText.nonce(time));
  }

  private static Map<String, Object> attributes(Path path) throws IOException {
    return Files.readAttributes(path, "unix:dev,ino,nlink", LinkOption.NOFOLLOW_LINKS);
  }

  private static void empty(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.truncate(0);
      channel.force(true);
    }
  }

  private void forceDirectory() throws IOException {
    try (FileChannel channel = FileChannel.open(Objects.requireNonNull(file.getParent()))) {
      channel.force(true);
    }
  }

  private LeaseWindow checked(String text, Map<String, Object> attributes) throws IOException {
    int end = text.lastIndexOf(" sum=");
    if (end < 0
        || !text.equals(text.substring(0, end) + " sum=" + sum(text.substring(0, end)) + "\n")) {
      throw refused("it was truncated or changed", null);
    }
    Register record = new Register(file.toString(), 1, text.substring(0, end));
    try {
      Map<String, String> fields = RecordText.read(record, KIND, FORMAT);
      require("boot", bootId(), fields, "it belongs to another boot of a host");
      require("device", attributes.get("dev"), fields, "it is a copy");
      require("inode", attributes.get("ino"), fields, "it is a copy");
      if (!Integer.valueOf(1).equals(attributes.get("nlink"))) {
        throw refused("it has " + attributes.get("nlink") + " links", null);
      }
      require("namespace", config.namespace().name(), fields, "it belongs to another namespace");
      require("store", storeText(), fields, "it belongs to another store");
      require("layout", layout, fields, "it belongs to another layout");
      return window(record, fields);
    } catch (UnreadableRecordException e) {
      throw refused("it has another format", e);
    }
  }

  private LeaseWindow window(Register record, Map<String, String> fields) throws IOException {
    long worker = Long.parseLong(RecordText.required(record, fields, "worker"));
    long datacenter = worker >>> layout.bits(Kind.WORKER);
    if (config.worker().orElse(worker) != worker
        || config.datacenter().orElse(datacenter) != datacenter) {
      throw refused("it belongs to worker " + worker, null);
    }
    long from = Instant.parse(RecordText.required(record, fields, "from")).toEpochMilli();
    Instant until = Instant.parse(RecordText.required(record, fields, "until"));
    long now = time.currentTimeMillis();
    if (until.toEpochMilli() <= Math.max(now, from)) {
      throw refused("its window ended at " + until, null);
    }
    return new LeaseWindow(worker, from, until.toEpochMilli(), Math.max(0, from - now));
  }

  private void require(
      String key, @Nullable Object value, Map<String, String> fields, String reason)
      throws IOException {
    if (!String.valueOf(value).equals(fields.get(key))) {
      throw refused(reason, null);
    }
  }

  private IOException refused(String reason, @Nullable Exception cause) {
    return new IOException("carry-over file " + file + " was not used: " + reason, cause);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
