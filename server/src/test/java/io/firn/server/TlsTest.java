package io.firn.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.server.config.TlsConfig;
import io.firn.server.redis.RedisProtocol;
import io.firn.testkit.ManualTimeSource;
import io.firn.testservers.FirnServer;
import io.firn.time.TimeSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class TlsTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));

  @TempDir private Path directory;

  /** The turns of the thread are not those of the next test's loop. */
  @AfterEach
  void forgetTurns() {
    FastThreadLocal.removeAll();
  }

  private RunningServer start(PemFiles files) {
    return RunningServer.start("redis", RedisProtocol::new, time, files.yaml());
  }

  private void addTls(EmbeddedChannel channel, Connection connection, PemFiles files) {
    TlsConfig config = new TlsConfig(files.certificate(), files.key(), Optional.empty());
    channel
        .pipeline()
        .addLast(new TlsCertificate(config, time).newHandler(channel, false, connection));
  }

  /** Opens the connection of a channel, which decrypts what the channel receives. */
  private Connection open(EmbeddedChannel channel, RunningServer server, PemFiles files) {
    Connection connection = LoneConnections.of(channel, server.server().service());
    addTls(channel, connection, files);
    channel.pipeline().addLast(connection);
    return connection;
  }

  @Test
  void servesOverTls() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files);
        RawClient client = files.connect(server.address())) {
      client.send("PING\r\n".repeat(10_000)).expect("+PONG\r\n".repeat(10_000));
      assertThat(client.send("QUIT\r\n").rest()).isEqualTo("+OK\r\n");
    }
  }

  /** A client may send all of its request before it reads, and pause meanwhile. */
  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void refusalReachesAClientThatGoesOnSending(String version) throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    byte[] request = ("*2\r\n$4\r\nECHO\r\n$3000000\r\n" + "x".repeat(200_000)).getBytes(US_ASCII);
    try (RunningServer server =
        RunningServer.start("redis", RedisProtocol::new, TimeSource.system(), files.yaml())) {
      for (int i = 0; i < 3; i++) {
        try (RawClient client = files.connect(server.address())) {
          ((SSLSocket) client.socket()).setEnabledProtocols(new String[] {version});
          client.send(request);
          Thread.sleep(i == 0 ? 300 : 0);
          client.send(request);
          Thread.sleep(i == 0 ? 300 : 0);
          assertThat(client.send(request).rest()).startsWith("-ERR Protocol error");
        }
      }
    }
  }

  @Test
  void closesTheConnectionWhosePartOfARecordExceedsTheBudget() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files)) {
      for (int length : new int[] {1_000, 16_000}) {
        EmbeddedChannel channel = new EmbeddedChannel();
        Connection connection =
            LoneConnections.of(channel, server.server().service(), LoneConnections.held(10_000));
        addTls(channel, connection, files);
        channel.pipeline().addLast(connection);
        ByteBuf part = Unpooled.buffer(length);
        part.writeBytes(new byte[] {22, 3, 1, 64, 0, 1}).writeZero(length - part.writerIndex());
        channel.writeInbound(part);
        assertThat(channel.isOpen()).isEqualTo(length < 10_000);
        channel.finishAndReleaseAll();
      }
    }
  }

  /** The engine keeps a message of many records until it is complete. */
  @Test
  void closesTheConnectionWhoseMessageOfAHandshakeExceedsTheBudget() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Connection connection =
          LoneConnections.of(channel, server.server().service(), LoneConnections.held(14_000));
      addTls(channel, connection, files);
      channel.pipeline().addLast(connection);
      channel.writeInbound(partOfAHello(0, 8_000));
      assertThat(connection.heldBytes()).isBetween(8_000L, 9_000L);
      channel.writeInbound(partOfAHello(8_000, 8_000));
      assertThat(channel.isOpen()).isFalse();
      channel.finishAndReleaseAll();
    }
  }

  /** The engine makes objects of the entries of a hello: 72 bytes for 5 that are sent. */
  @Test
  void theObjectsOfAHelloAreHeldUntilTheHandshakeEnds() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Connection connection = open(channel, server, files);
      byte[] hello = Hellos.withKeyShares(16_000);
      channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(hello));
      assertThat(connection.heldBytes()).as("not computed").isBetween(15_000L, 17_000L);
      assertThat(connection.waitsForServer()).isTrue();
      channel.runPendingTasks();
      assertThat(connection.heldBytes()).isBetween(15 * 16_000L, 17 * 16_000L);
      assertThat(connection.waitsForServer()).isFalse();
      channel.finishAndReleaseAll();
    }
  }

  /** The engine computes a hello of 32 KiB, the most that it takes, for up to 15 ms. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void closesTheConnectionWhoseHelloIsTooLong(int excess) throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      open(channel, server, files);
      ByteBuf first = partOfAHello(0, 8_000);
      int rest = TlsHandler.MAX_HELLO_BYTES - first.readableBytes() - 5;
      channel.writeInbound(first);
      channel.writeInbound(partOfAHello(8_000, rest + excess));
      assertThat(channel.isOpen()).isEqualTo(excess == 0);
      channel.finishAndReleaseAll();
    }
  }

  /** Each record has the engine copy those before it. */
  @ParameterizedTest
  @ValueSource(ints = {TlsHandler.MAX_EMPTY_RECORDS, TlsHandler.MAX_EMPTY_RECORDS + 1})
  void closesTheConnectionWhoseHandshakeComesInTooManyRecords(int records) throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      open(channel, server, files);
      ByteBuf all = Unpooled.buffer();
      for (int i = 0; i < records; i++) {
        all.writeBytes(partOfAHello(i, 1));
      }
      channel.writeInbound(all);
      assertThat(channel.isOpen()).isEqualTo(records == TlsHandler.MAX_EMPTY_RECORDS);
      channel.finishAndReleaseAll();
    }
  }

  @Test
  void whatIsDecryptedIsNotHeld() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    EmbeddedChannel client = client();
    EmbeddedChannel channel = new EmbeddedChannel();
    try (RunningServer server = start(files)) {
      Connection connection = open(channel, server, files);
      shakeHands(client, channel);
      assertThat(connection.heldBytes()).isZero();
      for (int i = 0; i < 3 * TlsHandler.MAX_EMPTY_RECORDS; i++) {
        client.writeOutbound(Unpooled.wrappedBuffer(new byte[1]));
      }
      exchange(client, channel);
      assertThat(connection.heldBytes()).isZero();
      assertThat(channel.isOpen()).isTrue();
      client.close();
    }
  }

  /** Each takes 2 KB, and by default Java keeps 20,480 of them for a day. */
  @Test
  void keepsFewSessionsForAShortTime() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    EmbeddedChannel client = client();
    EmbeddedChannel channel = new EmbeddedChannel();
    try (RunningServer server = start(files)) {
      open(channel, server, files);
      shakeHands(client, channel);
      SSLSessionContext sessions =
          channel.pipeline().get(SslHandler.class).engine().getSession().getSessionContext();
      assertThat(sessions.getSessionCacheSize()).isEqualTo(1_024);
      assertThat(sessions.getSessionTimeout()).isEqualTo(300);
      client.close();
    }
  }

  /** Returns a record with a part of a hello of 32,000 bytes. */
  private static ByteBuf partOfAHello(int begin, int length) {
    ByteBuf message = Unpooled.buffer().writeByte(1).writeMedium(32_000).writeZero(32_000);
    return Unpooled.buffer()
        .writeBytes(new byte[] {22, 3, 1})
        .writeShort(length)
        .writeBytes(message, begin, length);
  }

  /** One reading can have thousands of records. */
  @Test
  void recordsAfterTheOneThatEndedTheConnectionAreNotDecrypted() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    EmbeddedChannel client = client();
    EmbeddedChannel channel = new EmbeddedChannel();
    try (RunningServer server = start(files)) {
      addTls(channel, LoneConnections.of(channel, server.server().service()), files);
    }
    List<Object> read = new ArrayList<>();
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext ctx, Object message) {
                read.add(message);
                ctx.channel().unsafe().close(ctx.channel().unsafe().voidPromise());
              }
            });
    shakeHands(client, channel);
    for (int i = 0; i < 3; i++) {
      client.writeOutbound(Unpooled.wrappedBuffer(new byte[1]));
    }
    exchange(client, channel);
    assertThat(read).hasSize(1);
    client.close();
  }

  private static EmbeddedChannel client() throws SSLException {
    return new EmbeddedChannel(
        SslContextBuilder.forClient()
            .trustManager(InsecureTrustManagerFactory.INSTANCE)
            .build()
            .newHandler(UnpooledByteBufAllocator.DEFAULT));
  }

  /** Has both sides send what they have, more often than a handshake needs. */
  private static void shakeHands(EmbeddedChannel client, EmbeddedChannel server) {
    for (int i = 0; i < 10; i++) {
      exchange(client, server);
      exchange(server, client);
    }
  }

  /** Has a channel receive all that another one has sent, in one reading. */
  private static void exchange(EmbeddedChannel from, EmbeddedChannel to) {
    ByteBuf all = Unpooled.buffer();
    for (ByteBuf sent = from.readOutbound(); sent != null; sent = from.readOutbound()) {
      all.writeBytes(sent);
    }
    if (all.isReadable()) {
      to.writeInbound(all);
    }
  }

  /** The client sends none of its hello, a part, or all of it, and no more. */
  @ParameterizedTest
  @ValueSource(ints = {0, 100, Integer.MAX_VALUE})
  void aConnectionWhoseHandshakeTakesTooLongIsCountedAsSlow(int bytes) throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    List<String> yaml = new ArrayList<>(List.of(files.yaml()));
    yaml.add("limits: {request-time: 100ms}");
    try (RunningServer server =
            RunningServer.start("redis", RedisProtocol::new, time, yaml.toArray(String[]::new));
        RawClient client = server.connect()) {
      ByteBuf hello = clientHello();
      byte[] part = new byte[Math.min(bytes, hello.readableBytes())];
      hello.readBytes(part);
      client.send(part).rest();
      Traffic traffic = server.server().service().traffic().get("redis");
      assertThat(traffic.closings(Traffic.Closing.SLOW)).isEqualTo(1);
    }
  }

  /** A handshake has a timeout of its own. A check ends requests that take too long. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReloadChangesTheTimeOfHandshakesAndTheIntervalOfChecks(boolean tls) throws Exception {
    String files = tls ? new PemFiles(directory, "first").yaml() : "";
    try (RunningServer server =
        RunningServer.start("redis", RedisProtocol::new, lines(files, "10m"))) {
      CurrentConfig current = server.server().service().current();
      current.readFrom(() -> RunningServer.config("redis", lines(files, "100ms")));
      current.reload();
      long begin = System.nanoTime();
      for (int i = 0; i < 5; i++) {
        try (RawClient client = server.connect()) {
          client.send(tls ? "" : "PING").rest();
        }
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(3));
    }
  }

  private static String[] lines(String files, String requestTime) {
    return new String[] {"store: 'memory:'", files, "limits: {request-time: " + requestTime + "}"};
  }

  @Test
  void aStopDoesNotWaitForTheComputationsOfAHandshake() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Connection connection = open(channel, server, files);
      channel.pipeline().fireChannelRead(clientHello());
      assertThat(connection.waitsForServer()).isTrue();
      connection.closeGracefully();
      assertThat(channel.isOpen()).isFalse();
      channel.finishAndReleaseAll();
    }
  }

  /** It would take memory, and the turn of another connection of its address. */
  @Test
  void aClientThatLeavesHasNoTurnOfItsHandshakeLeft() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      open(channel, server, files);
      LaterTurns turns = LaterTurns.of(LaterTurns.Kind.LONG_STEP, false);
      LaterTurns.Turn late =
          new LaterTurns.Turn() {
            @Override
            public boolean isDue() {
              return false;
            }

            @Override
            public void take() {}
          };
      turns.add(channel.eventLoop(), time::nanoTime, "another client", late);
      channel.pipeline().fireChannelRead(clientHello());
      channel.pipeline().fireChannelInactive();
      turns.remove("another client", late);
      assertThat(turns.isEmpty()).isTrue();
      channel.finishAndReleaseAll();
    }
  }

  @Test
  void closesTheConnectionOfAClientThatLeavesDuringTheHandshake() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files)) {
      Service service = server.server().service();
      EmbeddedChannel channel = new EmbeddedChannel();
      Connection connection = LoneConnections.of(channel, service);
      addTls(channel, connection, files);
      new RedisProtocol(service).open(channel.pipeline(), connection);
      channel.pipeline().addLast(connection);
      channel.pipeline().fireChannelRead(clientHello());
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      assertThat(channel.isOpen()).isFalse();
      channel.finishAndReleaseAll();
    }
  }

  private static ByteBuf clientHello() throws Exception {
    SSLEngine client = SSLContext.getDefault().createSSLEngine();
    client.setUseClientMode(true);
    ByteBuffer hello = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
    client.wrap(ByteBuffer.allocate(0), hello);
    return Unpooled.wrappedBuffer(hello.flip());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
        "TLS_RSA_WITH_AES_128_GCM_SHA256"
      })
  void refusesWeakCiphers(String cipher) throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files);
        RawClient client = files.connect(server.address())) {
      SSLSocket socket = (SSLSocket) client.socket();
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      socket.setEnabledCipherSuites(new String[] {cipher});
      assertThatExceptionOfType(SSLException.class).isThrownBy(socket::startHandshake);
    }
  }

  @Test
  void saysNothingInTheClear() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files);
        RawClient client = server.connect()) {
      assertThat(client.send("PING\r\n").rest()).doesNotContain("PONG");
    }
  }

  /** In a process of its own, because the JDK reads once whether it lets clients do that. */
  @Test
  void refusesToNegotiateTwice() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (FirnServer server =
            FirnServer.start(
                "--store=memory:",
                "--tls-certificate=" + files.certificate(),
                "--tls-key=" + files.key());
        RawClient client = files.connect(server.address())) {
      SSLSocket socket = (SSLSocket) client.socket();
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      client.send("PING\r\n").expect("+PONG\r\n");
      socket.startHandshake();
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(() -> client.send("PING\r\n").line());
    }
  }

  /** Each takes 9 KB, and other clients need memory as well. */
  @Test
  void takesNoMoreConnectionsThanFillHalfOfTheHeap() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    List<String> arguments =
        List.of(
            "--store=memory:",
            "--tls-certificate=" + files.certificate(),
            "--tls-key=" + files.key());
    try (FirnServer server =
            FirnServer.start(
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m"), arguments);
        RawClient client = files.connect(server.address())) {
      client.send("CONFIG GET maxclients\r\n").expect("*2\r\n$10\r\nmaxclients\r\n$4\r\n");
      assertThat(Integer.parseInt(client.line())).isBetween(3_000, 3_700);
    }
  }
}
