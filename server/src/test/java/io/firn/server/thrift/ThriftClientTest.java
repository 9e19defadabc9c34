package io.firn.server.thrift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.twitter.service.snowflake.gen.Snowflake;
import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.server.RunningServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.layered.TFramedTransport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client that Thrift's compiler makes of Twitter's service, unmodified. */
@Timeout(60)
final class ThriftClientTest {

  private static RunningServer server;

  @BeforeAll
  static void start() {
    server =
        RunningServer.start(
            "thrift",
            ThriftFace::new,
            "namespaces: {default: {layout: twitter, datacenter: 3, worker: 9}}");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static TTransport connect() throws TException {
    TTransport transport =
        new TFramedTransport(new TSocket("127.0.0.1", server.address().getPort(), 10_000));
    transport.open();
    return transport;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itsClientsWorkUnmodified(boolean strict) throws Exception {
    try (TTransport transport = connect()) {
      Snowflake.Client client =
          new Snowflake.Client(new TBinaryProtocol(transport, strict, strict));
      assertThat(client.get_datacenter_id()).isEqualTo(3);
      assertThat(client.get_worker_id()).isEqualTo(9);
      long before = client.get_timestamp();
      IdParts parts = IdLayout.TWITTER.parse(client.get_id("snow-client"));
      assertThat(parts.instant().toEpochMilli()).isBetween(before, client.get_timestamp() + 1);
      assertThat(parts.datacenter()).isEqualTo(3);
      assertThat(parts.worker()).isEqualTo(9);
    }
  }

  @Test
  void itsClientsAreToldWhatIsWrong() throws Exception {
    try (TTransport transport = connect()) {
      Snowflake.Client client = new Snowflake.Client(new TBinaryProtocol(transport));
      assertThatThrownBy(() -> client.get_id("no agent"))
          .isInstanceOf(TApplicationException.class)
          .hasMessage("useragent: no agent (expected: a letter, then letters, digits and -)")
          .extracting("type")
          .isEqualTo(TApplicationException.INTERNAL_ERROR);
      assertThat(client.get_id("agent")).isPositive();
    }
  }

  @Test
  void manyClientsNeverGetTheSame() {
    List<CompletableFuture<List<Long>>> clients =
        IntStream.range(0, 4)
            .mapToObj(i -> CompletableFuture.supplyAsync(ThriftClientTest::takeSome))
            .toList();
    assertThat(clients.stream().map(CompletableFuture::join).flatMap(List::stream))
        .hasSize(4 * 2_000)
        .doesNotHaveDuplicates();
  }

  private static List<Long> takeSome() {
    try (TTransport transport = connect()) {
      Snowflake.Client client = new Snowflake.Client(new TBinaryProtocol(transport));
      List<Long> ids = new ArrayList<>();
      for (int i = 0; i < 2_000; i++) {
        ids.add(client.get_id("test"));
      }
      assertThat(ids).isSorted();
      return ids;
    } catch (TException e) {
      throw new IllegalStateException(e);
    }
  }
}
