package io.firn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.lease.WorkerEntry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The SQL that makes IDs of a namespace with a reserved worker ID.
 *
 * <p>The word is the tick and the sequence number of the newest ID. It only grows, and a draw never
 * waits for the commit of another transaction. It is a sum: a number of one sequence, which draws
 * take, and what has been jumped over to keep up with the clock, in further sequences. A draw reads
 * what was jumped over before it takes a number. The number counts only if no other session can
 * have taken the same word by a later jump. In PostgreSQL nothing was jumped over meanwhile; in
 * MariaDB fewer numbers were taken than one jump has.
 *
 * <p>The word leads the clock by at most the lead. After a reopening it leads by more, and may
 * continue at half of the clock's speed until the clock has caught up. A crash may take back
 * numbers that open transactions drew, and a promotion more. So a draw compares what changes then,
 * and is refused after a change. Reopening lifts the word past every number that may have been
 * drawn: past the clock, by the lead, the largest clock skew, and how long a replaced server may
 * continue.
 *
 * @param table the table of registers, as {@code NAME} or {@code SCHEMA.NAME}
 * @param reserved the worker ID
 */
record SqlScript(
    SqlDatabase database,
    String table,
    String namespace,
    IdLayout layout,
    WorkerEntry reserved,
    boolean outsideWatermark) {

  /** The limit of the lead over the clock. */
  private static final long LEAD_MILLIS = 1_000;

  /** The limit of the lag behind the clock, because catching up delays other sessions. */
  private static final long MAX_BEHIND_MILLIS = 64;

  /**
   * The time by which MariaDB catches up in one step; sessions read the sequences after each step.
   */
  private static final long JUMP_MILLIS = 256;

  /** The defaults of leases for the largest clock skew and the split. */
  private static final long MARGIN_MILLIS = 5_000 + 10_000;

  /** MariaDB shows no newer number of a sequence than the newest that it has reserved. */
  private static final long CACHED_PER_TICK = 4;

  /**
   * A session of MariaDB keeps what it has read only where the layout has more IDs than the server
   * can draw: else a burst could hide that it missed a jump.
   */
  private static final long MIN_PER_MILLI = 1_000;

  /**
   * The milliseconds of MariaDB's clock, whatever the session has set. A local time may be that of
   * two hours, so they are those in a UUID of version 1.
   */
  private static final String REAL_CLOCK =
      "(CAST(CONV(REGEXP_REPLACE(UUID(), '^(.{8})-(.{4})-.(.{3}).*', '\\\\3\\\\2\\\\1'), 16, 10)"
          + " AS SIGNED) - 122192928000000000) DIV 10000";

  /** A name of a sequence may have 63 characters. */
  private static final int MAX_NAME = 40;

  /**
   * The namespaces whose sequences have their names: other names could be those of another
   * namespace's second or third sequence, or in MariaDB those of another case.
   */
  private static final Pattern PLAIN_NAME = Pattern.compile("[^A-Z]{1,40}(?<!_[12])");

  private static final Pattern PLACE = Pattern.compile("\\$\\{(\\w+)}");

  /**
   * Returns the SQL.
   *
   * @param reserve the command that reserves the worker ID, for an error
   */
  String text(String reserve) {
    Map<String, String> values = values(reserve);
    if (database == SqlDatabase.MARIADB) {
      values.put("kept", isWide() ? filled("mariadb-kept.sql", values) : "");
      values.put("code", quoted(filled("mariadb-next.sql", values)));
    }
    return filled(database + ".sql", values);
  }

  private static String quoted(String text) {
    return text.replace("\\", "\\\\").replace("'", "''");
  }

  private Map<String, String> values(String reserve) {
    Map<String, String> values = new LinkedHashMap<>();
    int dot = table.indexOf('.');
    String register = namespace + "/worker/" + reserved.worker();
    String reservation = "firn-worker/1 state=reserved by=" + reserved.holder() + " ";
    values.put("namespace", namespace);
    values.put("worker", "" + reserved.worker());
    values.put("table", table);
    values.put("tableName", table.substring(dot + 1));
    values.put("use", dot < 0 ? "" : "USE " + table.substring(0, dot) + ";\n\n");
    values.put("register", register);
    values.put("reservation", reservation);
    values.put("reservationLength", "" + reservation.length());
    values.put("reserve", reserve);
    values.put("outsideWatermark", "" + outsideWatermark);
    values.put("word", "firn_word_" + shortName());
    values.put("constraint", "firn_remove_" + shortName());
    layoutValues(values);
    return values;
  }

  private String shortName() {
    return PLAIN_NAME.matcher(namespace).matches()
        ? namespace
        : namespace.substring(0, Math.min(MAX_NAME, namespace.length()))
            + "_"
            + Integer.toHexString(namespace.hashCode());
  }

  private void layoutValues(Map<String, String> values) {
    int bits = layout.bits(Kind.SEQUENCE);
    long tickMillis = layout.tick().toMillis();
    long epochMillis = layout.epoch().toEpochMilli();
    long leadTicks = ticks(LEAD_MILLIS);
    long since = reserved.since().map(Instant::toEpochMilli).orElse(epochMillis) - epochMillis;
    values.put("layout", layout.toString());
    values.put("epochMillis", "" + epochMillis);
    values.put("tickMillis", "" + tickMillis);
    values.put("maxTick", "" + layout.lastPositiveTick());
    long maxWord = ((layout.lastPositiveTick() + 1) << bits) - 1;
    values.put("maxWord", "" + Math.min(maxWord, Long.MAX_VALUE - 1)); // MariaDB's largest
    values.put("timeBits", "" + layout.bits(Kind.TIME));
    values.put("timeShift", "" + layout.shift(Kind.TIME));
    values.put("sorts", "" + (layout.fields().get(0).kind() == Kind.TIME));
    values.put("sequenceBits", "" + bits);
    values.put("sequenceShift", "" + layout.shift(Kind.SEQUENCE));
    values.put("perTick", "" + (1L << bits));
    values.put("maxBehind", "" + Math.max(1, MAX_BEHIND_MILLIS / tickMillis));
    long behindTicks = Math.max(1, MAX_BEHIND_MILLIS / 2 / tickMillis);
    values.put("behindTicks", "" + behindTicks);
    // In milliseconds, with few terms: each costs every draw.
    values.put(
        "numberMillis", "number DIV " + (1L << bits) + (tickMillis == 1 ? "" : " * " + tickMillis));
    values.put("keptUntilMillis", "" + (epochMillis + (behindTicks - 2) * tickMillis));
    long jumpTicks = Math.max(1, JUMP_MILLIS / tickMillis);
    values.put("jumpTicks", "" + jumpTicks);
    values.put("jump1", "" + (jumpTicks << bits));
    values.put("jump2", "" + ((4096 * jumpTicks) << bits));
    long cached = Math.max(1, (1L << bits) / CACHED_PER_TICK);
    values.put("cached", "" + cached);
    values.put("room", "" + ((jumpTicks << bits) - cached));
    values.put("realClock", REAL_CLOCK);
    values.put("clock", clock(epochMillis, tickMillis));
    values.put("id", id());
    values.put("workerBits", "" + layout.placeWorkerId(reserved.worker()));
    values.put("leadTicks", "" + leadTicks);
    values.put("leadMillis", "" + leadTicks * tickMillis);
    values.put("never", "" + (1L << 61)); // before the first reopening, no time has passed since
    values.put("marginTicks", "" + ticks(MARGIN_MILLIS));
    values.put("sinceTick", "" + (Math.max(0, since) / tickMillis + 1));
  }

  /**
   * Returns the tick of the clock in MariaDB, as firn_clock has it, where it has passed already.
   */
  private static String clock(long epochMillis, long tickMillis) {
    return "(IF(@firn_passed BETWEEN 0 AND 1500000000,"
        + " (TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) + @firn_passed) DIV 1000,"
        + " "
        + REAL_CLOCK
        + ") - "
        + epochMillis
        + ") DIV "
        + tickMillis;
  }

  /** Returns the ID of a number in MariaDB. */
  private String id() {
    long perTick = 1L << layout.bits(Kind.SEQUENCE);
    return "number DIV "
        + perTick
        + " * "
        + (1L << layout.shift(Kind.TIME))
        + " + "
        + layout.placeWorkerId(reserved.worker())
        + " + number MOD "
        + perTick
        + " * "
        + (1L << layout.shift(Kind.SEQUENCE));
  }

  private boolean isWide() {
    return 1L << layout.bits(Kind.SEQUENCE) >= MIN_PER_MILLI * layout.tick().toMillis();
  }

  /** Returns how many ticks cover a time. */
  private long ticks(long millis) {
    long tickMillis = layout.tick().toMillis();
    return (millis + tickMillis - 1) / tickMillis;
  }

  private static String filled(String file, Map<String, String> values) {
    return PLACE
        .matcher(resource(file))
        .replaceAll(
            place -> Matcher.quoteReplacement(Objects.requireNonNull(values.get(place.group(1)))));
  }

  private static String resource(String file) {
    try (InputStream in =
        Objects.requireNonNull(SqlScript.class.getResourceAsStream("sql/" + file))) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
