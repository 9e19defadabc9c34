package io.firn.server.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.server.Protocol;
import io.firn.server.RawClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RedisProtocolTest extends OneRedisServer {

  @Test
  void givesTheNextIdOfTheNamespaceThatTheKeyNames() {
    long before = System.currentTimeMillis();
    long first = integer(client.send("*2\r\n$4\r\nINCR\r\n$6\r\norders\r\n"));
    long second = integer(client.send("*2\r\n$4\r\nincr\r\n$6\r\norders\r\n"));
    assertThat(second).isGreaterThan(first);
    assertThat(IdLayout.CLASSIC.parse(first).instant().toEpochMilli())
        .isBetween(before, System.currentTimeMillis());
  }

  @Test
  void answersAPipelineInItsOrderWithIdsThatGrow() {
    client.send(
        "INCR orders\r\n" + "*2\r\n$4\r\nINCR\r\n$6\r\norders\r\n".repeat(5000) + "PING\r\n");
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 5001; i++) {
      ids.add(integer(client));
    }
    client.expect("+PONG\r\n");
    assertThat(ids).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void answersAPipelineOverSeveralNamespaces() {
    client.send("INCR a\r\nINCR b\r\nECHO x\r\nINCR a\r\nINCR a\r\nNEXT b\r\n");
    long a = integer(client);
    long b = integer(client);
    client.expect("$1\r\nx\r\n");
    assertThat(integer(client)).isGreaterThan(a);
    assertThat(integer(client)).isGreaterThan(a);
    assertThat(integer(client)).isGreaterThan(b);
  }

  @Test
  void answersACommandThatComesByteByByte() {
    for (byte next : "*2\r\n$4\r\nINCR\r\n$6\r\norders\r\nPING\r\n".getBytes(US_ASCII)) {
      client.send(new byte[] {next});
    }
    integer(client);
    client.expect("+PONG\r\n");
  }

  @Test
  void givesSeveralIdsAtOnce() {
    client.send("NEXT orders COUNT 3\r\n").expect("*3\r\n");
    assertThat(List.of(integer(client), integer(client), integer(client)))
        .isSorted()
        .doesNotHaveDuplicates();
    integer(client.send("NEXT orders\r\n"));
    client.send("next orders count 1\r\n").expect("*1\r\n");
    integer(client);
  }

  /** A name in brackets is unknown to redis-cli. */
  @Test
  void namesAnAddressOfIpv6WithoutBracketsInTheCommandToTry() {
    assertThat(
            new RedisProtocol(server.server().service())
                .command(new Protocol.Endpoint("[0:0:0:0:0:0:0:1]", 7606, false), "orders"))
        .contains("redis-cli -h 0:0:0:0:0:0:0:1 -p 7606 INCR orders");
  }

  @Test
  void givesAsManyIdsAtOnceAsPermittedAndNoMore() {
    for (int count : new int[] {99, 100}) {
      client.send("NEXT orders COUNT " + count + "\r\n").expect("*" + count + "\r\n");
      for (int i = 0; i < count; i++) {
        integer(client);
      }
    }
    says("NEXT orders COUNT 101", "-ERR count: 101 (expected: 1..100)\r\n");
    says("NEXT orders COUNT 0", "-ERR count: 0 (expected: 1..100)\r\n");
    says("NEXT orders COUNT -1", "-ERR count: -1 (expected: 1..100)\r\n");
    says("NEXT orders COUNT x", "-ERR count: x (expected: 1..100)\r\n");
    says("NEXT orders COUNT 4294967297", "-ERR count: 4294967297 (expected: 1..100)\r\n");
  }

  @Test
  void refusesAnUnknownFormOfNext() {
    says(
        "NEXT orders 3",
        "-ERR syntax error (expected: NEXT key [COUNT n] [SCOPE milliseconds])\r\n");
    says(
        "NEXT orders COUNT",
        "-ERR syntax error (expected: NEXT key [COUNT n] [SCOPE milliseconds])\r\n");
    says(
        "NEXT orders LIMIT 3",
        "-ERR syntax error (expected: NEXT key [COUNT n] [SCOPE milliseconds])\r\n");
    says("NEXT", "-ERR wrong number of arguments for 'next' command\r\n");
  }

  @Test
  void countsByOne() {
    long first = integer(client.send("INCRBY orders 1\r\n"));
    long second = integer(client.send("INCR orders\r\n"));
    assertThat(integer(client.send("incrby orders 1\r\n"))).isGreaterThan(second);
    assertThat(second).isGreaterThan(first);
  }

  @Test
  void refusesToCountInSteps() {
    for (String command : List.of("INCRBY", "DECRBY", "INCRBYFLOAT")) {
      says(
          command + " orders 10",
          "-ERR "
              + command
              + ": not for IDs (expected: INCR key, or NEXT key COUNT n; a namespace is not a"
              + " counter"
              + " that clients can set)\r\n");
    }
    for (String step : List.of("0", "2", "-1", "+1", "01", "one")) {
      client.send("INCRBY orders " + step + "\r\n");
      assertThat(client.line()).startsWith("-ERR INCRBY: not for IDs");
    }
    says("INCRBY orders", "-ERR wrong number of arguments for 'incrby' command\r\n");
  }

  @Test
  void refusesANameThatNoNamespaceHas() {
    says("INCR 'a b'", "-ERR namespace: a b (expected: 1..64 of A-Z a-z 0-9 . _ : -)\r\n");
    says("INCR ''", "-ERR namespace:  (expected: 1..64 of A-Z a-z 0-9 . _ : -)\r\n");
    says(
        "INCR " + "a".repeat(65),
        "-ERR namespace: " + "a".repeat(65) + " (expected: 1..64 of A-Z a-z 0-9 . _ : -)\r\n");
    integer(client.send("INCR " + "a".repeat(64) + "\r\n"));
  }

  @Test
  void anErrorIsShortHoweverLongTheCommand() {
    assertThat(client.send("INCR " + "a".repeat(60_000) + "\r\n").line())
        .startsWith("-ERR namespace: aaa")
        .endsWith("aaa (expected: 1..64 of A-Z a-z 0-9 . _ : -)")
        .hasSizeLessThan(1_000);
  }

  @Test
  void cannotBeMadeToSayALineOfTheClients() {
    says(
        "INCR \"a\\r\\n+OK\"",
        "-ERR namespace: a  +OK (expected: 1..64 of A-Z a-z 0-9 . _ : -)\r\n");
  }

  @Test
  void greetsInTheVersionThatIsAskedFor() {
    client.send("HELLO\r\n");
    assertThat(client.line()).isEqualTo("*14");
    client.send("CLIENT ID\r\n");
    String greeting = "";
    for (String line = client.line(); !line.startsWith("*0"); line = client.line()) {
      greeting += line + " ";
    }
    long id = integer(client);
    assertThat(greeting)
        .isEqualTo(
            "$6 server $4 firn $7 version $11 development $5 proto :2 $2 id :"
                + id
                + " $4 mode $10 standalone $4 role $6 master $7 modules ");
    client.send("HELLO 3 SETNAME me\r\nCLIENT GETNAME\r\nQUIT\r\n");
    assertThat(client.line()).isEqualTo("%7");
    assertThat(client.rest()).endsWith("*0\r\n$2\r\nme\r\n+OK\r\n");
  }

  @Test
  void describesItselfAndItsNamespaces() {
    integer(client.send("INCR told\r\n"));
    String info = client.send("INFO\r\nQUIT\r\n").rest();
    assertThat(info)
        .startsWith("$")
        .contains("# Server\r\nredis_version:7.0.0\r\nredis_mode:standalone\r\n")
        .contains("\r\nfirn_version:development\r\n", "\r\nuptime_in_seconds:")
        .containsPattern("\r\nrun_id:[0-9a-f]{40}\r\n")
        .containsPattern("\r\nconnected_clients:[1-9][0-9]*\r\nmaxclients:10000\r\n")
        .containsPattern("\r\ntotal_commands_processed:[1-9][0-9]*\r\n")
        .contains("\r\nloading:0\r\n", "\r\ncluster_enabled:0\r\n")
        .containsPattern("\r\ndb0:keys=[1-9][0-9]*,expires=0,avg_ttl=0\r\n")
        .contains("\r\n# Replication\r\nrole:master\r\nconnected_slaves:0\r\n")
        .contains("\r\nready:yes\r\n", "\r\n\r\n# Namespaces\r\n")
        .containsPattern(
            "namespace_told:state=open,issued=1,lead_ms=0,worker=\\d+,fence=2\\S+Z\r\n");
  }

  @Test
  void commandHelpListsTheSubcommands() {
    client.send("COMMAND HELP\r\n");
    String size = client.line();
    assertThat(size).startsWith("*");
    StringBuilder help = new StringBuilder();
    for (int i = Integer.parseInt(size.substring(1)); i > 0; i--) {
      help.append(client.line()).append('\n');
    }
    assertThat(help)
        .startsWith("+COMMAND [<subcommand> [<arg> ...]]. Subcommands are:\n")
        .contains("COUNT, LIST\n", "DOCS [", "INFO [", "GETKEYS ", "HELP\n");
  }

  @Test
  void returnsOnlyTheRequestedSections() {
    assertThat(client.send("INFO replication Cluster\r\nQUIT\r\n").rest())
        .matches(
            crlf(
                """
                \\$[0-9]+
                # Replication
                role:master
                connected_slaves:0
                master_replid:[0-9a-f]{40}
                master_repl_offset:0

                # Cluster
                cluster_enabled:0

                \\+OK
                """));
    assertThat(server.connect().send("INFO nonsense\r\nQUIT\r\n").rest())
        .isEqualTo("$0\r\n\r\n+OK\r\n");
  }

  @Test
  void takesNamesWithColons() {
    integer(client.send("INCR user:id\r\n"));
    says("EXISTS user:id nothing", ":1\r\n");
    says("TYPE user:id", "+string\r\n");
    says("TYPE nothing", "+none\r\n");
    says("TTL user:id", ":-1\r\n");
    says("TTL nothing", ":-2\r\n");
    says("SCAN 0 MATCH user:* COUNT 10", "*2\r\n$1\r\n0\r\n*1\r\n$7\r\nuser:id\r\n");
    says("SCAN 0 MATCH user\\* COUNT 10 TYPE string", "*2\r\n$1\r\n0\r\n*0\r\n");
    says("KEYS ?ser:*d", "*1\r\n$7\r\nuser:id\r\n");
    says("COMMAND GETKEYS INCR user:id", "*1\r\n$7\r\nuser:id\r\n");
    assertThat(client.send("INFO namespaces\r\nQUIT\r\n").rest())
        .contains("\r\nnamespace_user/id:state=open,");
  }

  @Test
  void forgetsAllOnReset() {
    client.send("HELLO 3 SETNAME me\r\n");
    while (!client.line().equals("*0")) {
      assertThat(client.socket().isClosed()).isFalse();
    }
    says("MULTI\r\nRESET\r\nEXEC", "+OK\r\n+RESET\r\n-ERR EXEC without MULTI\r\n");
    says("CLIENT GETNAME", "$-1\r\n");
  }

  @Test
  void listsAndKillsClients() {
    client.send("CLIENT SETNAME one\r\nCLIENT SETINFO LIB-NAME lib\r\n").expect("+OK\r\n+OK\r\n");
    try (RawClient other = server.connect()) {
      other.send("CLIENT SETNAME two\r\n").expect("+OK\r\n");
      String list = server.connect().send("CLIENT LIST\r\nQUIT\r\n").rest();
      assertThat(list)
          .containsPattern(
              "id=\\d+ addr=127.0.0.1:\\d+ laddr=127.0.0.1:\\d+ fd=-1 name=one age=\\d+ idle=\\d+ flags=N"
                  + " db=0 sub=0 psub=0 ssub=0 multi=-1 .* user=default redir=-1 resp=2 lib-name=lib"
                  + " lib-ver=\n")
          .contains(" name=two ");
      long id = integer(other.send("CLIENT ID\r\n"));
      says("CLIENT KILL ID " + id, ":1\r\n");
      assertThat(other.rest()).isIn("", "reset");
      says("CLIENT KILL ID " + id, ":0\r\n");
      says("CLIENT KILL 127.0.0.1:1", "-ERR No such client\r\n");
    }
    client.send("CLIENT INFO\r\n").line();
    assertThat(client.line()).contains(" name=one ");
  }

  @Test
  void namesTheAlternativeToWhatItIsNot() {
    says("CLUSTER SLOTS", "-ERR This instance has cluster support disabled\r\n");
    says(
        "SENTINEL get-master-addr-by-name m",
        "-ERR SENTINEL: this server is not a Sentinel (expected: a client of one server, with this"
            + " address,"
            + " or with one that a load balancer gives several servers)\r\n");
    says("SELECT 1", "-ERR DB index is out of range (expected: 0, the only database)\r\n");
    says(
        "WATCH orders",
        "-ERR WATCH: not for IDs (expected: MULTI without it; every INCR issues a new ID,"
            + " to any client)\r\n");
    says(
        "CONFIG SET save x",
        "-ERR CONFIG SET: not for IDs (expected: CONFIG GET pattern; settings stand in the"
            + " server's configuration)\r\n");
    says("CONFIG GET data*", "*2\r\n$9\r\ndatabases\r\n$1\r\n1\r\n");
    says(
        "CLIENT TRACKING on",
        "-ERR CLIENT TRACKING: on (expected: off; an ID is issued once, and never cached)\r\n");
  }

  @Test
  void answersWhatClientsAskOfAServer() {
    says("ROLE", "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
    client.send("TIME\r\n").expect("*2\r\n$10\r\n");
    assertThat(client.line()).matches("[0-9]{10}");
    client.line();
    assertThat(client.line()).matches("[0-9]{1,6}");
    client.send("DBSIZE\r\n");
    assertThat(client.line()).matches(":[1-9][0-9]*");
  }

  @Test
  void refusesToKeepANumber() {
    says(
        "SET orders 5 NX",
        "-ERR SET: not for IDs (expected: INCR key; an ID is issued once and not stored; the"
            + " number below it"
            + " may belong to another client)\r\n");
    client.send("GET orders\r\n");
    assertThat(client.line()).startsWith("-ERR GET: not for IDs (expected: INCR key;");
  }

  @Test
  void describesItsCommands() {
    client.send("COMMAND COUNT\r\n");
    String count = client.line().substring(1);
    client.send("COMMAND LIST\r\n").expect("*" + count + "\r\n$4\r\nincr\r\n");
    assertThat(server.connect().send("COMMAND\r\nQUIT\r\n").rest())
        .startsWith(
            "*"
                + count
                + "\r\n*6\r\n$4\r\nincr\r\n:2\r\n*2\r\n+write\r\n+fast\r\n:1\r\n:1\r\n:1\r\n*6\r\n");
    assertThat(server.connect().send("COMMAND DOCS\r\nQUIT\r\n").rest())
        .startsWith(
            "*" + 2 * Integer.parseInt(count) + "\r\n$4\r\nincr\r\n*4\r\n$7\r\nsummary\r\n");
    assertThat(server.connect().send("COMMAND INFO incr nonsense\r\nQUIT\r\n").rest())
        .startsWith("*2\r\n*6\r\n$4\r\nincr\r\n")
        .endsWith("*-1\r\n+OK\r\n");
    assertThat(server.connect().send("COMMAND DOCS incr nonsense\r\nQUIT\r\n").rest())
        .startsWith("*2\r\n$4\r\nincr\r\n*4\r\n$7\r\nsummary\r\n");
  }

  @Test
  void endsTheConnectionAfterQuitAndAnswersNothingBehindIt() {
    assertThat(client.send("PING\r\nQUIT\r\nPING\r\n").rest()).isEqualTo("+PONG\r\n+OK\r\n");
  }

  @Test
  void endsTheConnectionAfterBytesThatAreNotTheProtocol() {
    assertThat(client.send("PING\r\n*1\r\n:1\r\nPING\r\n").rest())
        .isEqualTo("+PONG\r\n-ERR Protocol error: expected '$', got ':'\r\n");
  }

  @Test
  void saysNothingToABrowser() {
    assertThat(client.send("POST / HTTP/1.1\r\nHost: x\r\n\r\nINCR orders\r\n").rest()).isEmpty();
    assertThat(server.connect().send("Host: x\r\nINCR orders\r\n").rest()).isEmpty();
  }
}
