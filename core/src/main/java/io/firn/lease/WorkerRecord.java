package io.firn.lease;

import io.firn.internal.RecordText;
import io.firn.store.Register;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The value of a worker's register.
 *
 * @param fenceMillis no ID of this worker at or past it has ever been permitted
 * @param held whether a generator has it; false once it was released, and if it is reserved
 * @param sinceMillis the first instant of ID time of the acquisition, for people; none in a record
 *     that an early release wrote
 * @param windowMillis the length of the holder's window
 * @param holder the instance that wrote it, for people
 * @param pid its process, for people
 * @param token names the one acquisition that wrote it
 * @param nonce names the one write; empty in a record of an early release
 * @param reserved whether another system uses the worker, which then is the holder; until the fence
 * @param blockMillis the end of the last block of IDs that was taken of the worker; none if none
 *     was
 * @param replacedMillis up to where holders that the block has replaced had ID times: commits with
 *     these may be under way for the grace after; none if no lease was before the block
 * @param lowMillis the low mark: no ID of this holder before it is in an open scope, or is drawn
 *     any more; none unless the namespace has a watermark
 * @param layout the text form of the layout of its IDs; empty if an earlier version wrote it, whose
 *     processes do not see a change of layout
 * @param guarded whether the holder's commits have a guard, which is ended before the holder is
 *     declared dead
 */
record WorkerRecord(
    long fenceMillis,
    boolean held,
    OptionalLong sinceMillis,
    long windowMillis,
    String holder,
    long pid,
    String token,
    String nonce,
    boolean reserved,
    OptionalLong blockMillis,
    OptionalLong replacedMillis,
    OptionalLong lowMillis,
    String layout,
    boolean guarded) {

  static final String KIND = "firn-worker";
  static final int FORMAT = 1;
  private static final String HELD = "held";
  private static final String RELEASED = "released";
  private static final String RESERVED = "reserved";
  private static final String REPLACED = "replaced";
  private static final String LOW = "low";
  private static final String LAYOUT = "layout";
  private static final String GUARD = "guard";

  /** The fence of a worker that is reserved without an end. */
  static final long NEVER_MILLIS = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();

  WorkerRecord(
      long fenceMillis,
      boolean held,
      OptionalLong sinceMillis,
      long windowMillis,
      String holder,
      long pid,
      String token,
      String nonce) {
    this(
        fenceMillis,
        held,
        sinceMillis,
        windowMillis,
        holder,
        pid,
        token,
        nonce,
        false,
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        "",
        false);
  }

  /** Returns the record of a worker that another system uses in that interval of ID time. */
  static WorkerRecord reserved(long since, long until, String by, String token) {
    return new WorkerRecord(
        until,
        false,
        OptionalLong.of(since),
        0,
        by,
        0,
        token,
        "",
        true,
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        "",
        false);
  }

  static WorkerRecord parse(Register register) {
    Map<String, String> fields = RecordText.read(register, KIND, FORMAT);
    try {
      if (RESERVED.equals(fields.get("state"))) {
        return reservation(register, fields);
      }
      return new WorkerRecord(
              Instant.parse(RecordText.required(register, fields, "fence")).toEpochMilli(),
              isHeld(register, RecordText.required(register, fields, "state")),
              instant(fields.get("since")),
              Long.parseLong(RecordText.required(register, fields, "windowMillis")),
              RecordText.required(register, fields, "holder"),
              Long.parseLong(RecordText.required(register, fields, "pid")),
              RecordText.required(register, fields, "token"),
              fields.getOrDefault("nonce", ""))
          .withBlock(instant(fields.get("block")))
          .withReplaced(instant(fields.get(REPLACED)))
          .withLow(instant(fields.get(LOW)))
          .withLayout(fields.getOrDefault(LAYOUT, ""))
          .withGuard(fields.containsKey(GUARD));
    } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
      throw RecordText.refused(
          register, "fence, since, block, replaced and low instants, windowMillis and pid numbers");
    }
  }

  private static WorkerRecord reservation(Register register, Map<String, String> fields) {
    String until = fields.get("until");
    return reserved(
            Instant.parse(RecordText.required(register, fields, "since")).toEpochMilli(),
            until == null ? NEVER_MILLIS : Instant.parse(until).toEpochMilli(),
            RecordText.required(register, fields, "by").replace("%20", " ").replace("%25", "%"),
            RecordText.required(register, fields, "token"))
        .withNonce(fields.getOrDefault("nonce", ""))
        .withLayout(fields.getOrDefault(LAYOUT, ""));
  }

  private static OptionalLong instant(@Nullable String text) {
    return text == null
        ? OptionalLong.empty()
        : OptionalLong.of(Instant.parse(text).toEpochMilli());
  }

  private static boolean isHeld(Register register, String state) {
    return switch (state) {
      case HELD -> true;
      case RELEASED -> false;
      default -> throw RecordText.refused(register, "state=held, released or reserved");
    };
  }

  String text() {
    Map<String, Object> fields = new LinkedHashMap<>();
    if (reserved) {
      fields.put("state", RESERVED);
      fields.put("by", holder.replace("%", "%25").replace(" ", "%20"));
      sinceMillis.ifPresent(since -> fields.put("since", Instant.ofEpochMilli(since)));
      if (fenceMillis != NEVER_MILLIS) {
        fields.put("until", Instant.ofEpochMilli(fenceMillis));
      }
      fields.put("token", token);
      fields.put("nonce", nonce);
      putLayout(fields);
      return RecordText.write(KIND, FORMAT, fields);
    }
    fields.put("state", held ? HELD : RELEASED);
    fields.put("fence", Instant.ofEpochMilli(fenceMillis));
    sinceMillis.ifPresent(since -> fields.put("since", Instant.ofEpochMilli(since)));
    fields.put("windowMillis", windowMillis);
    fields.put("holder", holder);
    fields.put("pid", pid);
    fields.put("token", token);
    if (!nonce.isEmpty()) {
      fields.put("nonce", nonce);
    }
    blockMillis.ifPresent(end -> fields.put("block", Instant.ofEpochMilli(end)));
    replacedMillis.ifPresent(end -> fields.put(REPLACED, Instant.ofEpochMilli(end)));
    lowMillis.ifPresent(low -> fields.put(LOW, Instant.ofEpochMilli(low)));
    putLayout(fields);
    if (guarded) {
      fields.put(GUARD, "open");
    }
    return RecordText.write(KIND, FORMAT, fields);
  }

  private void putLayout(Map<String, Object> fields) {
    if (!layout.isEmpty()) {
      fields.put(LAYOUT, layout);
    }
  }

  WorkerRecord withFence(long millis) {
    return with(millis, nonce, blockMillis, replacedMillis, lowMillis, layout, guarded);
  }

  WorkerRecord withNonce(String fresh) {
    return with(fenceMillis, fresh, blockMillis, replacedMillis, lowMillis, layout, guarded);
  }

  WorkerRecord withBlock(OptionalLong endMillis) {
    return with(fenceMillis, nonce, endMillis, replacedMillis, lowMillis, layout, guarded);
  }

  WorkerRecord withReplaced(OptionalLong endMillis) {
    return with(fenceMillis, nonce, blockMillis, endMillis, lowMillis, layout, guarded);
  }

  WorkerRecord withLow(OptionalLong millis) {
    return with(fenceMillis, nonce, blockMillis, replacedMillis, millis, layout, guarded);
  }

  WorkerRecord withLayout(String text) {
    return with(fenceMillis, nonce, blockMillis, replacedMillis, lowMillis, text, guarded);
  }

  WorkerRecord withGuard(boolean open) {
    return with(fenceMillis, nonce, blockMillis, replacedMillis, lowMillis, layout, open);
  }

  private WorkerRecord with(
      long fence,
      String fresh,
      OptionalLong block,
      OptionalLong replaced,
      OptionalLong low,
      String text,
      boolean guard) {
    return new WorkerRecord(
        fence,
        held,
        sinceMillis,
        windowMillis,
        holder,
        pid,
        token,
        fresh,
        reserved,
        block,
        replaced,
        low,
        text,
        guard);
  }

  /** Returns whether the times up to the fence belong to a block of IDs. */
  boolean isBlock() {
    return !held && !reserved && blockMillis.orElse(Long.MIN_VALUE) == fenceMillis;
  }

  /**
   * Returns up to where holders had ID times that were replaced without a grace, by this record's
   * user or one before it. A process that takes this worker over replaces this holder too.
   */
  OptionalLong replacedBeforeMillis() {
    // A lease that began at the end of a block and drew none was released at its beginning.
    boolean ofBlock = isBlock() && sinceMillis.orElse(Long.MIN_VALUE) < fenceMillis;
    return ofBlock ? replacedMillis : sinceMillis;
  }

  /** Returns what keeps another from having this worker, up to the name of a process. */
  String use() {
    return held
        ? "is leased to "
        : isBlock()
            ? "has a block of IDs, reserved by "
            : "was released with IDs past the clock by ";
  }

  WorkerRecord released(long millis) {
    return new WorkerRecord(millis, false, sinceMillis, windowMillis, holder, pid, token, nonce)
        .withBlock(blockMillis)
        .withLayout(layout);
  }

  /**
   * Returns when another process may take this worker.
   *
   * @param grace how long after its fence a worker stays taken that was not released
   */
  long freeAtMillis(long grace) {
    return held ? fenceMillis + grace : fenceMillis;
  }
}
