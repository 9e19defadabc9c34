package io.firn.etcd;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.Uninterruptibles;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KVGrpc.KVFutureStub;
import io.firn.store.StoreRandom;
import io.grpc.ChannelCredentials;
import io.grpc.Deadline;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The members of an etcd cluster. One is used until it fails: it may be down, hang, or be cut off
 * from the others; then the next one is. Thread-safe.
 */
final class EtcdMembers {

  /** A request to a member. */
  interface Request<T> {
    ListenableFuture<T> send(KVFutureStub member);
  }

  /** More than any page of a scan has. */
  private static final int MAX_REPLY_BYTES = 256 << 20;

  private static final Metadata.Key<String> TOKEN =
      Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

  /**
   * The answers that prove that etcd has not applied a request and will not. RESOURCE_EXHAUSTED
   * does not: etcd gives it to writes that it applies while it becomes full.
   */
  private static final Set<Status.Code> REFUSALS =
      EnumSet.of(
          Status.Code.FAILED_PRECONDITION,
          Status.Code.INVALID_ARGUMENT,
          Status.Code.PERMISSION_DENIED,
          Status.Code.UNAUTHENTICATED,
          Status.Code.UNIMPLEMENTED);

  private final List<ManagedChannel> members;
  private final EtcdAddress address;
  private final AtomicInteger next;
  private volatile @Nullable String token;

  EtcdMembers(EtcdAddress address) {
    this.address = address;
    members =
        address.servers().stream().map(server -> channel(server, address.credentials())).toList();
    next = new AtomicInteger((int) StoreRandom.below(members.size()));
  }

  private static ManagedChannel channel(InetSocketAddress server, ChannelCredentials credentials) {
    return Grpc.newChannelBuilderForAddress(server.getHostString(), server.getPort(), credentials)
        .maxInboundMessageSize(MAX_REPLY_BYTES)
        .disableRetry()
        .build();
  }

  /**
   * Returns whether it is certain that a request which failed like that was not done and never will
   * be.
   */
  static boolean isRefusal(StatusRuntimeException failure) {
    return REFUSALS.contains(failure.getStatus().getCode()) || wasNotSent(failure);
  }

  /** Returns whether there was no connection to send it over. */
  private static boolean wasNotSent(StatusRuntimeException failure) {
    Throwable cause = Throwables.getRootCause(failure);
    return cause instanceof ConnectException || cause instanceof UnknownHostException;
  }

  /**
   * Sends a request that may be sent twice: to each member in turn, until one answers.
   *
   * @throws StatusRuntimeException if none does in time
   */
  <T> T read(Deadline deadline, Request<T> request) {
    return ask(deadline, true, request);
  }

  /**
   * Sends a request that must not be sent twice: to the next member only if there is no connection
   * to one.
   *
   * @throws StatusRuntimeException if it is not answered in time
   */
  <T> T write(Deadline deadline, Request<T> request) {
    return ask(deadline, false, request);
  }

  private <T> T ask(Deadline deadline, boolean mayBeSentTwice, Request<T> request) {
    for (int left = members.size(); ; left--) {
      int member = next.get();
      try {
        return ask(members.get(member), deadline, request);
      } catch (StatusRuntimeException e) {
        if (REFUSALS.contains(e.getStatus().getCode())) {
          throw e;
        }
        leave(member);
        boolean again = mayBeSentTwice || wasNotSent(e);
        if (!again || left == 1 || deadline.isExpired()) {
          throw e;
        }
      }
    }
  }

  /** Continues with the next member; this one is reconnected when its turn comes again. */
  private void leave(int member) {
    members.get(member).enterIdle();
    next.compareAndSet(member, (member + 1) % members.size());
  }

  private <T> T ask(ManagedChannel member, Deadline deadline, Request<T> request) {
    KVFutureStub stub = KVGrpc.newFutureStub(member).withDeadline(deadline);
    return address.hasUser() ? askAsUser(stub, request) : await(request.send(stub));
  }

  /** A member that does not accept the token, or no longer does, has not applied the request. */
  private <T> T askAsUser(KVFutureStub stub, Request<T> request) {
    String known = token;
    if (known != null) {
      try {
        return await(request.send(withToken(stub, known)));
      } catch (StatusRuntimeException e) {
        Status.Code code = e.getStatus().getCode();
        if (code != Status.Code.UNAUTHENTICATED && code != Status.Code.INVALID_ARGUMENT) {
          throw e;
        }
      }
    }
    String fresh =
        await(
                AuthGrpc.newFutureStub(stub.getChannel())
                    .withDeadline(stub.getCallOptions().getDeadline())
                    .authenticate(login()))
            .getToken();
    token = fresh;
    return await(request.send(withToken(stub, fresh)));
  }

  private AuthenticateRequest login() {
    try {
      return address.login();
    } catch (IllegalArgumentException e) { // the secret was there when the store was opened
      throw Status.UNAUTHENTICATED.withDescription(e.getMessage()).asRuntimeException();
    }
  }

  private static KVFutureStub withToken(KVFutureStub stub, String token) {
    Metadata headers = new Metadata();
    headers.put(TOKEN, token);
    return stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /** The reply; an interrupted thread waits for it too, until the request's deadline. */
  private static <T> T await(ListenableFuture<T> reply) {
    try {
      return Objects.requireNonNull(Uninterruptibles.getUninterruptibly(reply));
    } catch (ExecutionException e) {
      throw Status.fromThrowable(e).asRuntimeException();
    }
  }

  void close() {
    members.forEach(ManagedChannel::shutdownNow);
  }
}
