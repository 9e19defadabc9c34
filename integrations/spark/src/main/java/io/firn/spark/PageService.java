package io.firn.spark;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.block.IdBlocks;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.IsolatedRpcEndpoint;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.RpcUtils;
import org.jspecify.annotations.Nullable;
import scala.PartialFunction;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;
import scala.runtime.BoxedUnit;

/**
 * Gives pages of IDs to tasks, on the driver of an application: only the driver needs the store.
 * Tasks ask over the connection that Spark has, with its encryption and authentication. The
 * messages are text, which needs no class of Firn where Spark reads it.
 */
final class PageService implements IsolatedRpcEndpoint {

  private static final String NAME = "firn-pages";
  private static final String STORE = "spark.firn.store";
  private static final String PREFIX = "spark.firn.";
  private static final Pattern LAYOUT =
      Pattern.compile("spark\\.firn\\.namespace\\.[A-Za-z0-9._:-]+\\.layout");
  private static final String REFUSED = "refused ";

  /** Calls of the store wait for each other in as many threads, and hold up no other part. */
  private static final int THREADS = 4;

  private static final ReentrantLock LOCK = new ReentrantLock();
  private static @Nullable PageService running;

  private final SparkContext context;
  private final RpcEnv rpc;
  private final Map<String, CountingStore> stores = new HashMap<>();
  private final Map<SourceKey, PageSource> sources = new HashMap<>();
  private final List<PageSource> byNumber = new CopyOnWriteArrayList<>();

  private PageService(SparkContext context, RpcEnv rpc) {
    this.context = context;
    this.rpc = rpc;
  }

  /** The parts of a source. */
  private record SourceKey(String store, String namespace, @Nullable String layout) {}

  /**
   * Returns the IDs of a namespace, on the driver.
   *
   * @throws IllegalArgumentException if a setting is wrong
   */
  static PageSource source(SparkSession session, String namespace) {
    Map<String, String> settings = settings(session);
    String store = settings.get(STORE);
    if (store == null) {
      throw new IllegalArgumentException(
          STORE + ": not set (expected: the address of a store, as redis://HOST:6379)");
    }
    String layout = settings.get(PREFIX + "namespace." + namespace + ".layout");
    LOCK.lock();
    try {
      PageService service = running;
      if (service == null || service.context != session.sparkContext()) {
        service = new PageService(session.sparkContext(), SparkEnv.get().rpcEnv());
        service.rpc.setupEndpoint(NAME, service);
        running = service;
      }
      return service.source(new SourceKey(store, namespace, layout));
    } finally {
      LOCK.unlock();
    }
  }

  private static Map<String, String> settings(SparkSession session) {
    Map<String, String> settings = new HashMap<>();
    CollectionConverters.asJava(session.conf().getAll())
        .forEach(
            (name, value) -> {
              if (name.startsWith(PREFIX)) {
                if (!name.equals(STORE) && !LAYOUT.matcher(name).matches()) {
                  throw new IllegalArgumentException(
                      name
                          + ": unknown (expected: "
                          + STORE
                          + " or "
                          + PREFIX
                          + "namespace.NAME.layout)");
                }
                settings.put(name, value);
              }
            });
    return settings;
  }

  private PageSource source(SourceKey key) {
    PageSource known = sources.get(key);
    if (known != null) {
      return known;
    }
    CountingStore store =
        stores.computeIfAbsent(key.store, uri -> new CountingStore(RegisterStore.open(uri)));
    IdBlocks.Builder blocks = IdBlocks.builder(store, key.namespace);
    if (key.layout != null) {
      blocks.layout(IdLayout.of(key.layout));
    }
    PageSource source =
        new PageSource(
            byNumber.size(),
            key.namespace,
            blocks.build(),
            store,
            Tally.of(context, key.namespace),
            TimeSource.system());
    byNumber.add(source);
    sources.put(key, source);
    return source;
  }

  /**
   * Requests a page from the driver, in any process of the application.
   *
   * @throws FirnException if the driver could not reserve IDs; the message says why
   */
  static ServedPage ask(int source, String namespace, long size) {
    SparkEnv env = SparkEnv.get();
    String reply =
        RpcUtils.makeDriverRef(NAME, env.conf(), env.rpcEnv())
            .askSync(source + " " + size, ClassTag$.MODULE$.apply(String.class));
    if (reply.startsWith(REFUSED)) {
      throw new FirnException(
          "The driver has no IDs of " + namespace + ": " + reply.substring(REFUSED.length()));
    }
    return ServedPage.parse(reply);
  }

  @Override
  public RpcEnv rpcEnv() {
    return rpc;
  }

  @Override
  public int threadCount() {
    return THREADS;
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext call) {
    return PartialFunction.fromFunction(
        request -> {
          call.reply(reply(request.toString()));
          return BoxedUnit.UNIT;
        });
  }

  private String reply(String request) {
    String[] words = request.split(" ", 2);
    try {
      PageSource source = byNumber.get(Integer.parseInt(words[0]));
      return source.page(Long.parseLong(words[1])).text();
    } catch (FirnException | IllegalArgumentException | IllegalStateException e) {
      return REFUSED + e.getMessage();
    }
  }

  /** Closes the stores, when the application ends. */
  @Override
  public void onStop() {
    LOCK.lock();
    try {
      if (running == this) {
        running = null;
      }
      stores.values().forEach(RegisterStore::close);
    } finally {
      LOCK.unlock();
    }
  }
}
