package io.firn.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.firn.store.Register;
import io.firn.store.RemoteRegisterStore;
import io.firn.store.StoreCall;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Registers as keys of etcd 3.4 or later. Thread-safe.
 *
 * <h2>What is stored</h2>
 *
 * A register is a key, the prefix and the register's name, whose value is the register's value:
 * {@code etcdctl get --prefix firn/} shows them. Its version is the revision of the whole store
 * that wrote it last ({@code mod_revision}), which no other write ever has, also not one of a key
 * that was deleted and came back. Old revisions are not read, so etcd may compact them as it likes.
 *
 * <h2>Why it is linearizable</h2>
 *
 * A write is a transaction that compares the revision, and etcd puts all transactions into one
 * order, which a majority has on disk before it is acknowledged. A read is a transaction too;
 * before a member runs it, it makes sure that it has seen all that was acknowledged.
 *
 * <h2>When it does not answer</h2>
 *
 * A call ends with the timeout. A read is retried on the next member if one fails. A write is sent
 * once, and is unknown if its reply does not come; it fails if there is no connection to any member
 * or if etcd refuses it for want of permission. One that etcd has no space for is unknown, because
 * etcd applies the writes that wait while it becomes full. A member that hangs costs one call,
 * because the next one asks another. While there is no majority reads fail and writes are unknown.
 * A member that failed is reconnected when its turn comes, without a pause. An etcd that was
 * restored from an old snapshot shows old fences: let it start only after every window is over.
 */
final class EtcdRegisterStore extends RemoteRegisterStore {

  /** The limit of one transaction in etcd's default configuration. */
  private static final int MAX_READS = 128;

  private static final int PAGE = 1_000;

  private static final System.Logger LOG = System.getLogger(EtcdRegisterStore.class.getName());

  /** Behind a key it makes the next larger one. */
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  private final EtcdAddress address;
  private final EtcdMembers members;

  EtcdRegisterStore(EtcdAddress address) {
    super(address.timeout());
    this.address = address;
    members = new EtcdMembers(address);
  }

  private ByteString key(String name) {
    return ByteString.copyFromUtf8(address.prefix() + name);
  }

  @Override
  protected List<Register> readAll(List<String> names, StoreCall call) {
    List<Register> found = new ArrayList<>();
    for (int from = 0; from < names.size(); from += MAX_READS) {
      TxnRequest.Builder request = TxnRequest.newBuilder();
      for (String name : names.subList(from, Math.min(names.size(), from + MAX_READS))) {
        RangeRequest one = RangeRequest.newBuilder().setKey(key(name)).build();
        request.addSuccess(RequestOp.newBuilder().setRequestRange(one));
      }
      TxnResponse response = ask(call, member -> member.txn(request.build()));
      response.getResponsesList().forEach(op -> collect(op.getResponseRange(), found));
    }
    return found;
  }

  @Override
  protected List<Register> scan(String prefix, StoreCall call) {
    List<Register> found = new ArrayList<>();
    ByteString from = key(prefix);
    RangeRequest.Builder page =
        RangeRequest.newBuilder().setRangeEnd(behindAll(from)).setLimit(PAGE);
    boolean more = true;
    while (more) { // until the call is over
      page.setKey(from);
      RangeResponse response = ask(call, member -> member.range(page.build()));
      collect(response, found);
      more = response.getMore();
      from = more ? response.getKvs(response.getKvsCount() - 1).getKey().concat(ZERO) : from;
    }
    return found;
  }

  /** Returns true: each page is read as of the latest revision. */
  @Override
  public boolean isScanCurrent() {
    return true;
  }

  /**
   * The least key that is larger than all that begin with these bytes of UTF-8, none of them FF.
   */
  private static ByteString behindAll(ByteString beginning) {
    int last = beginning.size() - 1;
    byte larger = (byte) (beginning.byteAt(last) + 1);
    return beginning.substring(0, last).concat(ByteString.copyFrom(new byte[] {larger}));
  }

  private void collect(RangeResponse response, List<Register> found) {
    for (KeyValue entry : response.getKvsList()) {
      String name = entry.getKey().toStringUtf8().substring(address.prefix().length());
      found.add(new Register(name, entry.getModRevision(), entry.getValue().toStringUtf8()));
    }
  }

  @Override
  protected WriteResult compareAndSet(
      String name, long expectedVersion, String value, StoreCall call) {
    ByteString key = key(name);
    Compare unchanged =
        Compare.newBuilder()
            .setKey(key)
            .setTarget(Compare.CompareTarget.MOD)
            .setResult(Compare.CompareResult.EQUAL)
            .setModRevision(expectedVersion)
            .build();
    PutRequest write =
        PutRequest.newBuilder().setKey(key).setValue(ByteString.copyFromUtf8(value)).build();
    TxnRequest request =
        TxnRequest.newBuilder()
            .addCompare(unchanged)
            .addSuccess(RequestOp.newBuilder().setRequestPut(write))
            .build();
    try {
      TxnResponse response = members.write(deadline(call), member -> member.txn(request));
      return response.getSucceeded()
          ? WriteResult.applied(response.getHeader().getRevision())
          : WriteResult.CONFLICT;
    } catch (StatusRuntimeException e) {
      if (EtcdMembers.isRefusal(e)) {
        throw failed(call, e);
      }
      LOG.log(Level.WARNING, call.unknownWrite(reason(e)));
      return WriteResult.UNKNOWN;
    }
  }

  private <T> T ask(StoreCall call, EtcdMembers.Request<T> request) {
    try {
      return members.read(deadline(call), request);
    } catch (StatusRuntimeException e) {
      throw failed(call, e);
    }
  }

  private static Deadline deadline(StoreCall call) {
    return Deadline.after(call.leftNanos(), TimeUnit.NANOSECONDS);
  }

  private static StoreException failed(StoreCall call, StatusRuntimeException e) {
    return call.failed(reason(e), e);
  }

  private static String reason(StatusRuntimeException e) {
    Status status = e.getStatus();
    Throwable cause = status.getCause(); // gRPC's own words are "io exception" then
    String why = cause == null ? status.getDescription() : cause.getMessage();
    return status.getCode() + ": " + why;
  }

  @Override
  protected void disconnect() {
    members.close();
  }

  /** Returns the address, without secrets. */
  @Override
  public String toString() {
    return address.toString();
  }
}
