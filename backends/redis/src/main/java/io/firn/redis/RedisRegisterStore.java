package io.firn.redis;

import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RemoteRegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.StoreCall;
import io.firn.store.StoreException;
import io.firn.store.StoreRandom;
import io.firn.store.StoreSettings;
import io.firn.store.StoreThreads;
import io.firn.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Registers in Redis 5 or later. Thread-safe.
 *
 * <h2>What is stored</h2>
 *
 * All registers are fields of one hash, {@value #KEY} by default; a field's value is the register's
 * version, a space, and its value. {@code HGETALL firn:registers} shows them. One key needs nothing
 * of Redis Cluster, and no scan walks what else is stored there.
 *
 * <h2>Why it is linearizable</h2>
 *
 * Each call is one script on that key, and a primary runs one script at a time. The script that
 * changes a register does so last, so an error reply means that nothing was changed.
 *
 * <h2>When it forgets</h2>
 *
 * A Redis that was flushed, restarted without its data, or failed over to a replica has lost
 * registers or fallen back to older values. So {@link #mayForget} says that it may by default, and
 * versions do not repeat: the next version is the time in microseconds. Where the last version is
 * not less than that, because a clock was ahead, the next is larger by a random number up to 2^20.
 * (A script's numbers hold microseconds exactly until 2255.)
 *
 * <p>With {@code replicas=n} a write is acknowledged by {@code n} replicas before it counts as
 * applied. If every replica that may be promoted is among them, a failover loses no acknowledged
 * write, and a primary that is cut off from its replicas leases nothing. A read may show a write
 * that no replica has acknowledged; leases and counters rely on acknowledged writes only.
 *
 * <p>The server's run and the history of its data are its identity ({@link #snapshot}), so leases
 * withstand a flush, a restart with any older snapshot, and the promotion of any replica. Reading
 * them needs the right to call {@code INFO}. Counters do not withstand a loss, so they are refused
 * unless allowed, and then refuse after each change of the identity until they are raised. A store
 * that never forgets ({@code may-forget=false}) is one primary with {@code appendonly yes} and
 * {@code appendfsync always}, or one whose replicas acknowledge; it may not evict or expire the key
 * ({@code maxmemory-policy noeviction}).
 *
 * <h2>When it does not answer</h2>
 *
 * A call ends with the timeout. A read then fails; a write is unknown, unless it certainly was not
 * sent or Redis refused it. Over a client of the caller's own, a refusal leaves a write unknown
 * too: the client may have sent it before. The next call connects again, and asks Sentinel or the
 * cluster again which server has the key.
 */
public final class RedisRegisterStore extends RemoteRegisterStore {

  /** The default key of the hash. */
  public static final String KEY = "firn:registers";

  /** Returns what was found, with the registers that the arguments name behind it. */
  private static final String FIND =
      """
      for _, name in ipairs(ARGV) do
        local record = redis.call('HGET', KEYS[1], name)
        if record then
          found[#found + 1] = name
          found[#found + 1] = record
        end
      end
      return found
      """;

  private static final String READ_ALL = "local found = {}\n" + FIND;

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

  /**
   * The run of the server and the history of its data. A restart changes the first and a promotion
   * the second. A replica has no identity, because it takes no writes.
   */
  private static final String IDENTITY =
      """
      local server = redis.pcall('INFO', 'server')
      local replication = redis.pcall('INFO', 'replication')
      if type(server) == 'table' or type(replication) == 'table' then
        return redis.error_reply('NOPERM INFO is refused; give the user the right +info')
      end
      if not string.find(replication, 'role:master', 1, true) then
        return redis.error_reply('READONLY a replica answers (expected: the primary)')
      end
      local identity = string.match(server, 'run_id:(%w+)')
        .. '/' .. string.match(replication, 'master_replid:(%w+)')
      """;

  private static final String SNAPSHOT =
      IDENTITY
          + """
          local time = redis.call('TIME')
          local found = {identity, time[1], time[2]}
          """
          + FIND;

  /** Goes before {@link #COMPARE_AND_SET}: refuses a write whose binding does not hold. */
  private static final String BOUND =
      IDENTITY
          + """
          local mark = redis.call('HGET', KEYS[1], ARGV[6])
          if (mark and string.match(mark, '^([1-9]%d*) ') or '0') ~= ARGV[7]
            or identity ~= ARGV[5] then
            return {}
          end
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
      local next = micros > tonumber(version) and micros or version + ARGV[4]
      local after = string.format('%.0f', next)
      redis.call('HSET', KEYS[1], ARGV[1], after .. ' ' .. ARGV[3])
      return {after}
      """;

  private static final String TIME = "return redis.call('TIME')";

  /** The index of the first register in the reply to {@link #SNAPSHOT}. */
  private static final int REGISTERS_IN_SNAPSHOT = 3;

  /** Ten million registers. */
  private static final int MAX_PAGES = 1_000;

  private static final Pattern RECORD = Pattern.compile("([1-9][0-9]{0,17}) (.*)", Pattern.DOTALL);

  /** The largest to which a script can add one. */
  private static final long MAX_VERSION = (1L << 53) - 1;

  private static final System.Logger LOG = System.getLogger(RedisRegisterStore.class.getName());

  /** Runs a script as {@link RedisEval} does, in the time that the call has left. */
  interface Scripts {
    Object eval(String script, List<String> keys, List<String> args, StoreCall call);
  }

  private final Scripts scripts;
  private final Scripts replicated;
  private final String key;
  private final String address;
  private final boolean mayForget;
  private final boolean allowsCounters;
  private final Runnable closing;

  /**
   * @param timeout how long a call may take
   * @param scripts runs a script that reads
   * @param replicated runs a script that writes, and waits for the replicas that must have it
   */
  RedisRegisterStore(
      Duration timeout,
      Scripts scripts,
      Scripts replicated,
      String key,
      String address,
      boolean mayForget,
      boolean allowsCounters,
      Runnable closing) {
    super(timeout);
    this.scripts = scripts;
    this.replicated = replicated;
    this.key = key;
    this.address = address;
    this.mayForget = mayForget;
    this.allowsCounters = allowsCounters;
    this.closing = closing;
  }

  /**
   * Returns a store over a client that the caller has, such as {@code of(jedis::eval, KEY)}, with
   * all other settings as they are in a new {@link #builder}.
   *
   * @param key the key of the hash; the same for all processes that share the registers
   */
  public static RedisRegisterStore of(RedisEval eval, String key) {
    return builder(eval).key(key).build();
  }

  /**
   * Starts a store over a client that the caller has, such as {@code builder(jedis::eval)}. Closing
   * the store leaves the client open.
   */
  public static Builder builder(RedisEval eval) {
    return new Builder(eval);
  }

  @Override
  protected List<Register> readAll(List<String> names, StoreCall call) {
    return registers(ask(READ_ALL, names, call));
  }

  @Override
  protected List<Register> scan(String prefix, StoreCall call) {
    Map<String, Register> found = new HashMap<>(); // Redis may show a field twice
    String cursor = "0";
    for (int page = 0; page < MAX_PAGES; page++) {
      List<String> reply = ask(SCAN, List.of(cursor, prefix), call);
      for (Register register : registers(reply.subList(1, reply.size()))) {
        found.put(register.name(), register);
      }
      cursor = reply.get(0);
      if (cursor.equals("0")) {
        return List.copyOf(found.values());
      }
    }
    throw new StoreException(
        "Store "
            + this
            + " has more than 10,000,000 fields in the hash "
            + key
            + "; use another key for each group of namespaces");
  }

  /** Returns true: Redis shows each field that is there from beginning to end. */
  @Override
  public boolean isScanCurrent() {
    return true;
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
          "Store "
              + this
              + " has no version in the field "
              + name
              + " of the hash "
              + key
              + "; give Firn a key of its own, and remove the field if another program wrote it");
    }
    return new Register(name, version, parts.group(2));
  }

  @Override
  protected Optional<Snapshot> snapshot(List<String> names, StoreCall call) {
    List<String> reply = ask(SNAPSHOT, names, call);
    return Optional.of(
        new Snapshot(
            reply.get(0),
            millis(reply.get(1), reply.get(2)),
            registers(reply.subList(REGISTERS_IN_SNAPSHOT, reply.size()))));
  }

  @Override
  protected WriteResult compareAndSet(
      String name, long expectedVersion, String value, StoreCall call) {
    return write(COMPARE_AND_SET, writeArgs(name, expectedVersion, value), call);
  }

  @Override
  protected WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding, StoreCall call) {
    List<String> args = new ArrayList<>(writeArgs(name, expectedVersion, value));
    args.add(binding.identity());
    args.add(binding.register());
    args.add(Long.toString(binding.version()));
    return write(BOUND + COMPARE_AND_SET, args, call);
  }

  private static List<String> writeArgs(String name, long expectedVersion, String value) {
    String stride = Long.toString(StoreRandom.versionStride());
    return List.of(name, Long.toString(expectedVersion), value, stride);
  }

  private WriteResult write(String script, List<String> args, StoreCall call) {
    try {
      List<String> after = strings(replicated.eval(script, List.of(key), args, call));
      return after.isEmpty()
          ? WriteResult.CONFLICT
          : WriteResult.applied(Long.parseLong(after.get(0)));
    } catch (StoreException e) {
      throw call.failed(e);
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, call.unknownWrite(StoreCall.reason(e)));
      return WriteResult.UNKNOWN;
    }
  }

  @Override
  protected OptionalLong currentTimeMillis(StoreCall call) {
    List<String> time = ask(TIME, List.of(), call);
    return OptionalLong.of(millis(time.get(0), time.get(1)));
  }

  private static long millis(String seconds, String micros) {
    return TimeUnit.SECONDS.toMillis(Long.parseLong(seconds))
        + TimeUnit.MICROSECONDS.toMillis(Long.parseLong(micros));
  }

  private List<String> ask(String script, List<String> args, StoreCall call) {
    try {
      return strings(scripts.eval(script, List.of(key), args, call));
    } catch (RuntimeException e) {
      throw call.failed(e);
    }
  }

  private static List<String> strings(Object reply) {
    Object[] elements = reply instanceof List<?> list ? list.toArray() : new Object[] {reply};
    if (!(reply instanceof List) || !Arrays.stream(elements).allMatch(String.class::isInstance)) {
      throw new IllegalStateException(
          "The client answered a script with "
              + Arrays.toString(elements)
              + "; return the list of strings that EVAL answers, unchanged");
    }
    return Arrays.asList(Arrays.copyOf(elements, elements.length, String[].class));
  }

  @Override
  public boolean mayForget() {
    return mayForget;
  }

  @Override
  public boolean allowsCounters() {
    return allowsCounters || !mayForget;
  }

  @Override
  protected void disconnect() {
    closing.run();
  }

  @Override
  public String toString() {
    return address;
  }

  /**
   * Collects the settings of a store over a client that the caller has. Each can be set once. Not
   * thread-safe.
   */
  public static final class Builder {

    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final RedisEval eval;
    private @Nullable RedisEval replicated;
    private @Nullable String key;
    private @Nullable Boolean mayForget;
    private @Nullable Boolean allowCounters;
    private @Nullable Duration timeout;
    private boolean built;

    private Builder(RedisEval eval) {
      this.eval = eval;
    }

    /**
     * Sets the key of the hash, the same for all processes that share the registers; {@value #KEY}
     * unless set.
     */
    public Builder key(String key) {
      if (key.isEmpty()) {
        throw new IllegalArgumentException("key: (expected: a key that is not empty)");
      }
      this.key = once("key", this.key, key);
      return this;
    }

    /** Sets whether an acknowledged write may be lost; true unless set. */
    public Builder mayForget(boolean mayForget) {
      this.mayForget = once("mayForget", this.mayForget, mayForget);
      return this;
    }

    /** Sets whether counters are allowed although the store may forget; false unless set. */
    public Builder allowCounters(boolean allowCounters) {
      this.allowCounters = once("allowCounters", this.allowCounters, allowCounters);
      return this;
    }

    /**
     * Sets how a script is run that writes and that replicas must acknowledge: {@code EVAL}, then
     * {@code WAIT} on the same connection. It throws unless as many replicas acknowledged as the
     * caller wants. The same as {@link #builder}'s unless set.
     */
    public Builder replicated(RedisEval replicated) {
      this.replicated = once("replicated", this.replicated, replicated);
      return this;
    }

    /**
     * Sets how long one call may take, regardless of the client's timeouts: 1 ms..1 minute, 3 s
     * unless set. A write that is not answered by then is {@link WriteResult#UNKNOWN}.
     */
    public Builder timeout(Duration timeout) {
      this.timeout = once("timeout", this.timeout, StoreSettings.timeout("timeout", timeout));
      return this;
    }

    /** Builds the store; it does not connect before the first call. */
    public RedisRegisterStore build() {
      built = buildOnce(built);
      StoreThreads threads = new StoreThreads("firn-redis");
      Duration timeout = Objects.requireNonNullElse(this.timeout, TIMEOUT);
      String key = Objects.requireNonNullElse(this.key, KEY);
      return new RedisRegisterStore(
          timeout,
          bounded(threads, eval),
          bounded(threads, Objects.requireNonNullElse(replicated, eval)),
          key,
          "redis:" + key,
          Objects.requireNonNullElse(mayForget, true),
          Objects.requireNonNullElse(allowCounters, false),
          () -> {});
    }

    private static Scripts bounded(StoreThreads threads, RedisEval eval) {
      return (script, keys, args, call) -> {
        try {
          return threads.run(() -> eval.eval(script, keys, args), call.leftNanos(), late -> {});
        } catch (TimeoutException e) {
          throw new IllegalStateException("no answer in time", e);
        } catch (ExecutionException e) {
          throw e.getCause() instanceof RuntimeException failure
              ? failure
              : new IllegalStateException(e.getCause());
        }
      };
    }
  }
}
