package io.firn.redis;

import io.firn.lease.Register;
import io.firn.lease.RegisterStore;
import io.firn.lease.StoreException;
import io.firn.lease.WriteResult;
import io.firn.time.TimeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Registers in Redis 5 or later. Thread-safe.
 *
 * <h2>What is stored</h2>
 *
 * All registers are fields of one hash, {@value #KEY} unless told otherwise; a field's value is the
 * register's version, a space, and its value. {@code HGETALL firn:registers} shows them. One key
 * needs nothing of Redis Cluster, and no scan walks what else is stored there.
 *
 * <h2>Why it is linearizable</h2>
 *
 * Each call is one script on that key, and a primary runs one script at a time. The script that
 * changes a register does so as the last thing, so an error reply tells that nothing was changed.
 *
 * <h2>When it forgets</h2>
 *
 * A Redis that was flushed, restarted without its data, or failed over to a replica has lost
 * registers or fallen back to older values. So {@link #mayForget} says that it may, unless told
 * otherwise, and versions do not repeat: the next version is the time in microseconds, or one more
 * than the last version if that is larger. This rests on one assumption: from a loss to the next
 * write, the clocks of the servers do not step back by more time than has passed since the lost
 * version was written. (A script's numbers hold microseconds exactly until 2255.)
 *
 * <p>With {@code replicas=n} a write, and all that a read shows, is acknowledged by {@code n}
 * replicas before it counts. If every replica that may be promoted is among them, a failover loses
 * nothing that anybody was told, and a primary that is cut off from its replicas leases nothing. To
 * have Redis acknowledge what was read, the script writes it once more.
 *
 * <p>Leases withstand that everything is lost, and that registers fall back by less than half a
 * window. A restart with an older snapshot is more than they withstand: where Redis writes
 * snapshots ({@code save}), it must also keep an append-only file. Nor may it evict or expire the
 * key ({@code maxmemory-policy noeviction}). A store that never forgets ({@code may-forget=false})
 * is one primary with {@code appendonly yes} and {@code appendfsync always}, or one whose replicas
 * acknowledge.
 *
 * <h2>When it does not answer</h2>
 *
 * A call ends with the timeout. A read then fails; a write is unknown, unless it certainly was not
 * sent or Redis refused it. The next call connects anew, and asks Sentinel or the cluster anew
 * which server has the key.
 */
public final class RedisRegisterStore implements RegisterStore {

  /** The key of the hash, unless told otherwise. */
  public static final String KEY = "firn:registers";

  private static final String READ_ALL =
      """
      local found = {}
      for i = 2, #ARGV do
        local record = redis.call('HGET', KEYS[1], ARGV[i])
        if record then
          found[#found + 1] = ARGV[i]
          found[#found + 1] = record
          if ARGV[1] == 'again' then
            redis.call('HSET', KEYS[1], ARGV[i], record)
          end
        end
      end
      return found
      """;

  private static final String SCAN =
      """
      local page = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', 10000)
      local found = {page[1]}
      for i = 1, #page[2], 2 do
        if string.sub(page[2][i], 1, #ARGV[2]) == ARGV[2] then
          found[#found + 1] = page[2][i]
          found[#found + 1] = page[2][i + 1]
        end
      end
      return found
      """;

  private static final String COMPARE_AND_SET =
      """
      local record = redis.call('HGET', KEYS[1], ARGV[1])
      local version = '0'
      if record then
        version = string.match(record, '^([1-9]%d*) ')
      end
      if version ~= ARGV[2] then
        return {}
      end
      local time = redis.call('TIME')
      local micros = time[1] * 1000000 + time[2]
      local after = string.format('%.0f', math.max(version + 1, micros))
      redis.call('HSET', KEYS[1], ARGV[1], after .. ' ' .. ARGV[3])
      return {after}
      """;

  private static final String TIME = "return redis.call('TIME')";

  /** Ten million registers. */
  private static final int MAX_PAGES = 1_000;

  private static final int MAX_CAUSES = 20;

  private static final Pattern RECORD = Pattern.compile("([1-9][0-9]{0,17}) (.*)", Pattern.DOTALL);

  /** The largest to which a script can add one. */
  private static final long MAX_VERSION = (1L << 53) - 1;

  /** How Redis says that it did not run a script, or that its one write was refused. */
  private static final Pattern REFUSAL =
      Pattern.compile(
          "(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|MOVED|ASK|TRYAGAIN|CROSSSLOT|NOAUTH|WRONGPASS"
              + "|NOPERM|OOM|MISCONF|NOREPLICAS|NOSCRIPT|BUSY|WRONGTYPE"
              + "|ERR unknown command|ERR Error (compiling|running) script) .*",
          Pattern.DOTALL);

  private static final System.Logger LOG = System.getLogger(RedisRegisterStore.class.getName());

  private final RedisEval eval;
  private final RedisEval lasting;
  private final String reading;
  private final String key;
  private final String address;
  private final boolean mayForget;
  private final Runnable closing;
  private final TimeSource time = TimeSource.system();
  private volatile boolean closed;

  /**
   * @param eval runs what need not last
   * @param replicated runs what must last on replicas; null if there is no such demand
   */
  RedisRegisterStore(
      RedisEval eval,
      @Nullable RedisEval replicated,
      String key,
      String address,
      boolean mayForget,
      Runnable closing) {
    this.eval = eval;
    this.lasting = replicated == null ? eval : replicated;
    this.reading = replicated == null ? "once" : "again";
    this.key = key;
    this.address = address;
    this.mayForget = mayForget;
    this.closing = closing;
  }

  /**
   * A store over a client that the caller has, such as {@code of(jedis::eval, KEY)}. It may forget.
   * It takes as long as the client takes, so that must have timeouts; closing it leaves the client
   * open.
   *
   * @param key the key of the hash; the same for all processes that share the registers
   */
  public static RedisRegisterStore of(RedisEval eval, String key) {
    return new RedisRegisterStore(eval, null, key, "redis:" + key, true, () -> {});
  }

  @Override
  public Optional<Register> read(String name) {
    return readAll(List.of(name)).stream().findFirst();
  }

  @Override
  public List<Register> readAll(List<String> names) {
    List<String> args = new ArrayList<>(List.of(reading));
    names.forEach(name -> args.add(Register.requireName(name)));
    return registers(ask(lasting, READ_ALL, args));
  }

  @Override
  public List<Register> scan(String prefix) {
    Map<String, Register> found = new HashMap<>(); // Redis may show a field twice
    String cursor = "0";
    for (int page = 0; page < MAX_PAGES; page++) {
      List<String> reply = ask(eval, SCAN, List.of(cursor, prefix));
      for (Register register : registers(reply.subList(1, reply.size()))) {
        found.put(register.name(), register);
      }
      cursor = reply.get(0);
      if (cursor.equals("0")) {
        return List.copyOf(found.values());
      }
    }
    throw new StoreException(
        "store: " + this + " (expected: at most 10,000,000 fields in the hash " + key + ")");
  }

  private List<Register> registers(List<String> fields) {
    List<Register> registers = new ArrayList<>();
    for (int i = 0; i < fields.size(); i += 2) {
      registers.add(register(fields.get(i), fields.get(i + 1)));
    }
    return registers;
  }

  private Register register(String name, String record) {
    Matcher parts = RECORD.matcher(record);
    long version = parts.matches() ? Long.parseLong(parts.group(1)) : 0;
    if (version < 1 || version > MAX_VERSION) {
      throw new StoreException(
          "store: "
              + this
              + " (expected: VERSION VALUE in the field "
              + name
              + " of the hash "
              + key
              + ")");
    }
    return new Register(name, version, parts.group(2));
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    List<String> args =
        List.of(
            Register.requireName(name),
            Long.toString(expectedVersion),
            Register.requireValue(value));
    long begin = begin();
    try {
      List<String> after = strings(lasting.eval(COMPARE_AND_SET, List.of(key), args));
      return after.isEmpty()
          ? WriteResult.CONFLICT
          : WriteResult.applied(Long.parseLong(after.get(0)));
    } catch (RuntimeException e) {
      if (e instanceof StoreException || REFUSAL.matcher("" + e.getMessage()).matches()) {
        throw failed(begin, e);
      }
      LOG.log(System.Logger.Level.DEBUG, "store: " + this + ": a write is unknown", e);
      return WriteResult.UNKNOWN;
    }
  }

  @Override
  public OptionalLong currentTimeMillis() {
    List<String> time = ask(eval, TIME, List.of());
    return OptionalLong.of(
        TimeUnit.SECONDS.toMillis(Long.parseLong(time.get(0)))
            + TimeUnit.MICROSECONDS.toMillis(Long.parseLong(time.get(1))));
  }

  private List<String> ask(RedisEval how, String script, List<String> args) {
    long begin = begin();
    try {
      return strings(how.eval(script, List.of(key), args));
    } catch (RuntimeException e) {
      throw failed(begin, e);
    }
  }

  private long begin() {
    if (closed) {
      throw new IllegalStateException("store: " + this + " is closed (expected: open)");
    }
    return time.nanoTime();
  }

  private static List<String> strings(Object reply) {
    Object[] elements = reply instanceof List<?> list ? list.toArray() : new Object[] {reply};
    if (!(reply instanceof List) || !Arrays.stream(elements).allMatch(String.class::isInstance)) {
      throw new IllegalStateException(
          "eval: " + Arrays.toString(elements) + " (expected: a list of strings)");
    }
    return Arrays.asList(Arrays.copyOf(elements, elements.length, String[].class));
  }

  private StoreException failed(long begin, RuntimeException e) {
    long millis = TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - begin);
    return new StoreException(
        "store: " + this + " (expected: to answer; tried for " + millis + " ms: " + reason(e) + ")",
        e);
  }

  /** What the innermost cause says: the outer ones of network clients say less. */
  private static String reason(Throwable e) {
    String reason = e.toString();
    Throwable cause = e;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      reason = cause.getMessage() == null ? reason : cause.getMessage();
      cause = cause.getCause();
    }
    return reason.strip().replaceAll("\\s+", " ");
  }

  @Override
  public boolean mayForget() {
    return mayForget;
  }

  @Override
  public void close() {
    closed = true;
    closing.run();
  }

  @Override
  public String toString() {
    return address;
  }
}
