package io.firn.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthGrpc.AuthBlockingStub;
import io.etcd.jetcd.api.AuthRoleAddRequest;
import io.etcd.jetcd.api.AuthRoleGrantPermissionRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.etcd.jetcd.api.Permission;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult.Outcome;
import io.firn.testservers.EtcdServers;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An etcd that knows its users. */
@NeedsEtcd
class EtcdUsersTest {

  private static EtcdServers servers;

  /** The user {@code ids} may do everything with keys from {@code firn/} to {@code firn0}. */
  @BeforeAll
  static void start() {
    servers = EtcdServers.start(1);
    ManagedChannel channel =
        Grpc.newChannelBuilder(
                "127.0.0.1:" + servers.address(0).getPort(), InsecureChannelCredentials.create())
            .build();
    AuthBlockingStub admin = AuthGrpc.newBlockingStub(channel);
    user(admin, "root", "root", "all");
    user(admin, "ids", "ids", "se:cret");
    Permission permission =
        Permission.newBuilder()
            .setPermType(Permission.Type.READWRITE)
            .setKey(ByteString.copyFromUtf8("firn/"))
            .setRangeEnd(ByteString.copyFromUtf8("firn0"))
            .build();
    admin.roleGrantPermission(
        AuthRoleGrantPermissionRequest.newBuilder().setName("ids").setPerm(permission).build());
    admin.authEnable(AuthEnableRequest.getDefaultInstance());
    channel.shutdownNow();
  }

  private static void user(AuthBlockingStub admin, String user, String role, String password) {
    admin.userAdd(AuthUserAddRequest.newBuilder().setName(user).setPassword(password).build());
    admin.roleAdd(AuthRoleAddRequest.newBuilder().setName(role).build());
    admin.userGrantRole(AuthUserGrantRoleRequest.newBuilder().setUser(user).setRole(role).build());
  }

  @AfterAll
  static void stop() {
    servers.close();
  }

  private static RegisterStore open(String user, String rest) {
    return RegisterStore.open(
        "etcd://" + user + "127.0.0.1:" + servers.address(0).getPort() + rest + "?timeout=20s");
  }

  @Test
  void userWritesWhereItIsAllowedToAndAlsoAfterARestartForgotItsToken() {
    try (RegisterStore store = open("ids:se:cret@", "")) {
      long first = store.compareAndSet("a", 0, "x").version();
      assertThat(store.read("a")).contains(new Register("a", first, "x"));

      servers.kill(0);
      servers.restart(0);

      assertThat(store.read("a")).contains(new Register("a", first, "x"));
      servers.kill(0);
      servers.restart(0);
      store.read("b");
      assertThat(store.compareAndSet("a", first, "y").outcome()).isEqualTo(Outcome.APPLIED);
    }
  }

  @Test
  void userWithoutTheRightIsRefusedWithAKnownOutcome() {
    refuses("", "", "INVALID_ARGUMENT: etcdserver: user name is empty");
    refuses(
        "ids:wrong@",
        "",
        "INVALID_ARGUMENT: etcdserver: authentication failed, invalid user ID or password");
    refuses("ids:se:cret@", "/others", "PERMISSION_DENIED: etcdserver: permission denied");
  }

  private static void refuses(String user, String rest, String reason) {
    try (RegisterStore store = open(user, rest)) {
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessageEndingWith(reason)
          .hasMessageNotContaining("wrong");
      assertThatThrownBy(() -> store.compareAndSet("a", 0, "x"))
          .isInstanceOf(StoreException.class)
          .hasMessageEndingWith(reason);
    }
  }
}
