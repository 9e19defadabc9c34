package io.firn.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KVGrpc.KVBlockingStub;
import io.etcd.jetcd.api.RangeRequest;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import io.firn.testservers.EtcdServers;
import io.firn.testservers.IssuingFleet;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of leases while members of a cluster of three fail. */
@NeedsEtcd
class EtcdClusterTest {

  private static final Duration WINDOW = Duration.ofSeconds(2);
  private static final Duration A_FEW_WINDOWS = WINDOW.multipliedBy(2);

  private EtcdServers servers;

  @BeforeEach
  void start() {
    servers = EtcdServers.start(3);
  }

  @AfterEach
  void stop() {
    servers.close();
  }

  private RegisterStore open() {
    String hosts = host(0) + "," + host(1) + "," + host(2);
    return RegisterStore.open("etcd://" + hosts + "/ids?timeout=1s");
  }

  @Test
  void memberThatHangsCostsOneCall() {
    int leader = servers.leader();
    int one = (leader + 1) % 3;
    int other = (leader + 2) % 3;
    String hosts = host(one) + "," + host(other);
    try (RegisterStore store = RegisterStore.open("etcd://" + hosts + "/ids?timeout=4s")) {
      long version = store.compareAndSet("a", 0, "x").version();
      servers.pause(one);
      try {
        store.read("a");
      } catch (StoreException e) {
        // it has begun with that one
      }
      servers.resume(one);

      servers.pause(other); // which it asks now, wherever it has begun
      assertThat(store.compareAndSet("b", 0, "x")).isEqualTo(WriteResult.UNKNOWN);
      assertThat(store.read("a")).contains(new Register("a", version, "x"));
      assertThat(store.compareAndSet("a", version, "y").outcome()).isEqualTo(Outcome.APPLIED);
      servers.resume(other);
    }
  }

  private String host(int node) {
    return servers.endpoints().get(node).replace("http://", "");
  }

  @Test
  void noIdTwiceWhereTheLeaderIsKilled() {
    try (IssuingFleet fleet = new IssuingFleet(this::open, WINDOW)) {
      fleet.start(4);
      fleet.awaitIds();
      int killed = servers.killLeader();
      fleet.start(2);
      fleet.run(A_FEW_WINDOWS);
      compact(servers.leader());
      fleet.awaitIds();
      servers.restart(killed);
      fleet.start(2);
      fleet.run(A_FEW_WINDOWS);
      fleet.awaitIds();
      fleet.endWithoutDuplicates();
    }
  }

  /** Forgets every revision but the newest. */
  private void compact(int node) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(host(node), InsecureChannelCredentials.create()).build();
    KVBlockingStub operator = KVGrpc.newBlockingStub(channel);
    RangeRequest any = RangeRequest.newBuilder().setKey(ByteString.copyFromUtf8("any")).build();
    long newest = operator.range(any).getHeader().getRevision();
    operator.compact(CompactionRequest.newBuilder().setRevision(newest).build());
    channel.shutdownNow();
  }

  @Test
  void idsContinueToTheFenceWithoutAMajorityAndResumeWithOne() {
    try (IssuingFleet fleet = new IssuingFleet(this::open, Duration.ofSeconds(4));
        RegisterStore store = open()) {
      fleet.start(4);
      fleet.awaitIds();
      servers.kill(0);
      servers.kill(1);
      fleet.awaitIds();
      fleet.awaitFences();
      assertThatThrownBy(() -> store.read("a")).isInstanceOf(StoreException.class);
      assertThat(store.compareAndSet("a", 0, "x")).isEqualTo(WriteResult.UNKNOWN);

      servers.restart(0);
      fleet.awaitIds();
      fleet.endWithoutDuplicates();
    }
  }
}
