package io.firn.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.firn.store.Binding;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.CuttingProxy;
import io.firn.testkit.FreePort;
import io.firn.testkit.LogLines;
import io.firn.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a write which Redis rejects was not applied, and that the message quotes Redis. */
class RedisRefusalTest {

  private static RegisterStore open(RedisServer server) {
    return RegisterStore.open("redis://127.0.0.1:" + server.port() + "?timeout=30s");
  }

  static void assertRefuses(RegisterStore store, String words) {
    assertThatThrownBy(() -> store.compareAndSet("a", 0, "1"))
        .isInstanceOf(StoreException.class)
        .hasMessageMatching(
            "Store "
                + Pattern.quote(store.toString())
                + " failed after \\d+ ms: "
                + Pattern.quote(words)
                + "[^\\n]*");
  }

  @Test
  void demotedPrimaryIsNotWritten() {
    try (RedisServer primary = RedisServer.start();
        RedisServer other = RedisServer.start();
        RegisterStore store = open(primary)) {
      long version = store.compareAndSet("b", 0, "1").version();
      Admin.ask(primary, "REPLICAOF", "127.0.0.1", "" + other.port());
      assertRefuses(store, "READONLY You can't write against a read only replica.");
      Admin.ask(primary, "REPLICAOF", "NO", "ONE");
      assertThat(store.compareAndSet("a", 0, "1").version()).isGreaterThan(version);
    }
  }

  @Test
  void replicaThatLostItsPrimaryIsNotRead() {
    try (RedisServer replica = RedisServer.start("--replica-serve-stale-data", "no");
        RegisterStore store = open(replica)) {
      Admin.ask(replica, "REPLICAOF", "127.0.0.1", "1");
      assertRefuses(store, "MASTERDOWN Link with MASTER is down");
      assertThatThrownBy(() -> store.read("a")).hasMessageContaining("MASTERDOWN");
    }
  }

  @Test
  void fullRedisIsReadAndNotWritten() {
    try (RedisServer server = RedisServer.start();
        RegisterStore store = open(server)) {
      long version = store.compareAndSet("b", 0, "1").version();
      Admin.ask(server, "CONFIG", "SET", "maxmemory", "1");
      assertRefuses(store, "OOM command not allowed when used memory > 'maxmemory'.");
      assertThat(store.read("b").orElseThrow().version()).isEqualTo(version);
    }
  }

  @Test
  void refusalThatEveryConnectionGetsKeepsTheConnection() {
    try (RedisServer server = RedisServer.start();
        RegisterStore store = open(server)) {
      store.read("a");
      String connection = connection(server);
      Admin.ask(server, "CONFIG", "SET", "maxmemory", "1");
      assertRefuses(store, "OOM");
      Admin.ask(server, "CONFIG", "SET", "maxmemory", "0");
      Admin.ask(server, "ACL", "SETUSER", "default", "-eval");
      assertRefuses(store, "NOPERM");
      Admin.ask(server, "ACL", "SETUSER", "default", "+eval");
      Admin.ask(server, "SET", RedisRegisterStore.KEY, "mine");
      assertRefuses(store, "WRONGTYPE");
      assertThat(connection(server)).isEqualTo(connection);
    }
  }

  @Test
  void refusalThatAnotherServerMayNotGiveEndsTheConnection() {
    try (RedisServer server = RedisServer.start();
        RegisterStore store = open(server)) {
      store.read("a");
      String connection = connection(server);
      Admin.ask(server, "REPLICAOF", "127.0.0.1", "1");
      assertRefuses(store, "READONLY");
      store.read("a");
      assertThat(connection(server)).isNotEqualTo(connection);
      connection = connection(server);
      Admin.ask(server, "REPLICAOF", "NO", "ONE");
      Admin.ask(server, "CONFIG", "SET", "min-replicas-to-write", "1");
      assertRefuses(store, "NOREPLICAS");
      store.read("a");
      assertThat(connection(server)).isNotEqualTo(connection);
    }
  }

  /** The ID of the store's connection. */
  private static String connection(RedisServer server) {
    Matcher own =
        Pattern.compile("(?m)^id=(\\d+) .* name=firn ")
            .matcher(Admin.ask(server, "CLIENT", "LIST").toString());
    assertThat(own.find()).isTrue();
    return own.group(1);
  }

  /** Lettuce connects again by default, and sends again what was not answered. */
  @Test
  void refusalOverAClientThatSendsAgainLeavesTheOutcomeUnknown() {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(primary);
        CuttingProxy proxy = CuttingProxy.to(primary.address());
        RedisClient client = RedisClient.create("redis://127.0.0.1:" + proxy.address().getPort());
        StatefulRedisConnection<String, String> connection = client.connect();
        RegisterStore store =
            RedisRegisterStore.builder(
                    (script, keys, args) ->
                        connection
                            .sync()
                            .eval(
                                script,
                                ScriptOutputType.MULTI,
                                keys.toArray(String[]::new),
                                args.toArray(String[]::new)))
                .timeout(Duration.ofSeconds(30))
                .build();
        LogLines log = new LogLines(RedisRegisterStore.class.getName())) {
      String identity = store.snapshot(List.of()).orElseThrow().identity();
      proxy.cutReplies();
      CompletableFuture<WriteResult> write =
          CompletableFuture.supplyAsync(
              () -> store.compareAndSet("a", 0, "1", new Binding(identity, "mark", 0)));
      Admin.await(
          "the write", () -> Admin.ask(replica, "HEXISTS", RedisRegisterStore.KEY, "a").equals(1L));
      proxy.moveTo(replica.address());
      assertThat(write.join()).isEqualTo(WriteResult.UNKNOWN);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .matches(
              "Store redis:firn:registers did not report the outcome of a write in \\d+ ms:"
                  + " READONLY a replica answers \\(expected: the primary\\)");
    }
  }

  @Test
  void keyOfAnotherTypeIsLeftAlone() {
    try (RedisServer server = RedisServer.start();
        RegisterStore store = open(server)) {
      Admin.ask(server, "SET", RedisRegisterStore.KEY, "mine");
      assertRefuses(store, "WRONGTYPE Operation against a key holding the wrong kind of value");
      assertThat(Admin.ask(server, "GET", RedisRegisterStore.KEY)).isEqualTo("mine");
    }
  }

  @Test
  void nodeOfAClusterIsNoServerOfItsOwn() {
    String bus = "" + FreePort.next(); // the one of its own choice may be taken
    try (RedisServer server = RedisServer.start("--cluster-enabled", "yes", "--cluster-port", bus);
        RegisterStore store = open(server)) {
      assertRefuses(store, "CLUSTERDOWN Hash slot not served");
    }
  }

  @Test
  void serverThatIsNoClusterIsRefusedAndNoSecretIsShown() {
    try (RedisServer server = RedisServer.start("--requirepass", "secret");
        RegisterStore store =
            RegisterStore.open(
                "redis://:secret@127.0.0.1:" + server.port() + "?timeout=30s&cluster=true")) {
      AtomicReference<String> message = new AtomicReference<>("");
      Admin.await(
          "the answer of the server", // its connection is sometimes not ready at the first call
          () -> {
            assertThatThrownBy(() -> store.read("a"))
                .isInstanceOf(StoreException.class)
                .hasMessageNotContaining("secret")
                .hasMessageNotContaining("\n")
                .hasStackTraceContaining("no connection")
                .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("secret"))
                .satisfies(e -> message.set(e.getMessage()));
            return message.get().contains("ERR This instance has cluster support disabled");
          });
    }
  }

  @Test
  void passwordIsNeededWhereRedisAsksForOne() {
    try (RedisServer server = RedisServer.start("--requirepass", "secret");
        RegisterStore none = open(server);
        RegisterStore wrong =
            RegisterStore.open("redis://:wr0ng@127.0.0.1:" + server.port() + "?timeout=30s");
        RegisterStore right =
            RegisterStore.open(
                "redis://127.0.0.1:" + server.port() + "?timeout=30s&password=secret")) {
      assertRefuses(none, "NOAUTH HELLO must be called with the client already authenticated");
      assertRefuses(wrong, "WRONGPASS invalid username-password pair or user is disabled.");
      assertThat(right.compareAndSet("a", 0, "1").version()).isPositive();
      assertThat(wrong.toString() + right).doesNotContain("wr0ng").doesNotContain("secret");
    }
  }

  @Test
  void userNeedsFiveCommandsOnOneKey() {
    try (RedisServer server = RedisServer.start();
        RegisterStore store =
            RegisterStore.open(
                "redis://firn:secret@127.0.0.1:" + server.port() + "?timeout=30s&key={f}:r")) {
      Admin.ask(server, "ACL", "SETUSER", "firn", "on", ">secret", "~{f}:r", "+hget", "+hset");
      assertRefuses(store, "NOPERM");
      Admin.ask(server, "ACL", "SETUSER", "firn", "+eval", "+hscan", "+time");
      long version = store.compareAndSet("a", 0, "1").version();
      assertThat(store.scan("")).containsExactly(store.read("a").orElseThrow());
      assertThat(store.currentTimeMillis().orElseThrow())
          .isCloseTo(version / 1_000, within(5_000L));
      assertThat(Admin.ask(server, "CLIENT", "LIST").toString())
          .containsPattern(" name=firn .* user=firn ");
    }
  }

  /** Redis 7.0 names the line of the script and not the command. */
  @ParameterizedTest
  @ValueSource(strings = {"hget", "time", "hset", "info"})
  void rightThatAScriptLacksIsNamedAndNothingIsApplied(String command) {
    try (RedisServer server = RedisServer.start();
        RegisterStore store =
            RegisterStore.open("redis://firn:secret@127.0.0.1:" + server.port() + "?timeout=30s");
        LogLines log = new LogLines(RedisRegisterStore.class.getName())) {
      Admin.ask(server, "ACL", "SETUSER", "firn", "on", ">secret", "~*", "+eval", "+hscan");
      Admin.ask(server, "ACL", "SETUSER", "firn", "+hget", "+hset", "+time", "+info");
      String identity = store.snapshot(List.of()).orElseThrow().identity();
      String connection = connection(server);
      Admin.ask(server, "ACL", "SETUSER", "firn", "-" + command);
      assertThatThrownBy(() -> store.compareAndSet("a", 0, "1", new Binding(identity, "mark", 0)))
          .isInstanceOf(StoreException.class)
          .hasMessageMatching(
              "Store redis://\\*\\*\\*@127.* failed after \\d+ ms: NOPERM "
                  + command.toUpperCase(Locale.ROOT)
                  + " is refused; give the user the right \\+"
                  + command);
      assertThat(log.messages()).isEmpty();
      assertThat(Admin.ask(server, "EXISTS", RedisRegisterStore.KEY)).isEqualTo(0L);
      assertThat(connection(server)).isEqualTo(connection);
    }
  }

  @Test
  void rightThatAScanLacksIsNamed() {
    try (RedisServer server = RedisServer.start();
        RegisterStore store = open(server)) {
      Admin.ask(server, "ACL", "SETUSER", "default", "-hscan");
      assertThatThrownBy(() -> store.scan(""))
          .isInstanceOf(StoreException.class)
          .hasMessageEndingWith(" ms: NOPERM HSCAN is refused; give the user the right +hscan");
    }
  }

  private static String stackTrace(Throwable e) {
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "READONLY You can't write against a read only replica.",
        "LOADING Redis is loading the dataset in memory",
        "MASTERDOWN Link with MASTER is down",
        "CLUSTERDOWN The cluster is down",
        "MOVED 866 127.0.0.1:6379",
        "ASK 866 127.0.0.1:6379",
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "CROSSSLOT Keys in request don't hash to the same slot",
        "NOAUTH Authentication required.",
        "WRONGPASS invalid username-password pair",
        "NOPERM this user has no permissions to run the 'eval' command",
        "OOM command not allowed",
        "MISCONF Redis is configured to save RDB snapshots",
        "NOREPLICAS Not enough good replicas to write.",
        "NOSCRIPT No matching script.",
        "BUSY Redis is busy running a script.",
        "WRONGTYPE Operation against a key holding the wrong kind of value",
        "ERR unknown command 'EVAL', with args beginning with: 'local'",
        "ERR The user executing the script can't run this command or subcommand script: 25ff3, on"
            + " @user_script:28.",
        "ERR Error running script (call to f_1): @user_script:1: -READONLY You can't write",
        "ERR Error compiling script (new function): user_script:1: '=' expected"
      })
  void errorsOfRedisThatMeanNothingWasApplied(String words) {
    assertThat(LettuceConnection.isRefusal(new RedisCommandExecutionException(words))).isTrue();
    RegisterStore others = failing(new IllegalStateException(words));
    assertThat(others.compareAndSet("a", 0, "1")).isEqualTo(WriteResult.UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ERR Connection timed out",
        "upstream failure",
        "Unexpected end of stream.",
        "READONLYX",
        "x READONLY y",
        ""
      })
  void otherErrorsLeaveTheOutcomeUnknown(String words) {
    assertThat(LettuceConnection.isRefusal(new RedisCommandExecutionException(words))).isFalse();
    RegisterStore store = failing(new IllegalStateException(words));
    assertThat(store.compareAndSet("a", 0, "1")).isEqualTo(WriteResult.UNKNOWN);
    assertThatThrownBy(() -> store.read("a"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(words);
  }

  private static RegisterStore failing(RuntimeException failure) {
    return RedisRegisterStore.of(
        (script, keys, args) -> {
          throw failure;
        },
        "k");
  }

  @Test
  void clientThatKnowsThatItDidNotSendMaySaySo() {
    assertRefuses(failing(new StoreException("no route")), "no route");
  }

  @Test
  void replyOfAnotherKindIsNoAnswer() {
    for (Object reply : new Object[] {"1", 1L, List.of(1L), List.of("1", 1L)}) {
      RegisterStore store = RedisRegisterStore.of((script, keys, args) -> reply, "k");
      assertThat(store.compareAndSet("a", 0, "1")).isEqualTo(WriteResult.UNKNOWN);
      assertThatThrownBy(() -> store.scan(""))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("; return the list of strings that EVAL answers, unchanged");
    }
  }
}
