package io.firn.redis;

import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.StoreProvider;
import io.firn.store.StoreUri;
import java.util.Set;

/**
 * Opens registers in Redis by address, through Lettuce, which must be on the class path:
 *
 * <ul>
 *   <li>{@code redis://host:6379/0}: one server and one of its databases;
 *   <li>{@code redis://host1,host2,host3}: nodes of a cluster; {@code cluster=true} where only one
 *       is named;
 *   <li>{@code redis-sentinel://host1:26379,host2,host3/primary}, and {@code /primary/1} for a
 *       database: the server that Sentinel says is the primary of that name.
 * </ul>
 *
 * <p>{@code rediss} instead of {@code redis} is TLS, also to Sentinels; the server's certificate
 * and host name are checked. Parameters, beside {@code timeout} and those for {@linkplain StoreUri
 * user and password}, which Redis gets and Sentinels do not:
 *
 * <ul>
 *   <li>{@code key=NAME}: the key of the hash, {@value RedisRegisterStore#KEY} unless given;
 *   <li>{@code may-forget=false}: what is acknowledged is never lost;
 *   <li>{@code allow-counters=true}: counters are kept although what is acknowledged may be lost;
 *   <li>{@code replicas=N}: how many replicas acknowledge a write before it counts as applied,
 *       0..99, within half the timeout;
 *   <li>{@code allow-eviction=true}: a server is accepted whose {@code maxmemory-policy} evicts any
 *       key, and with it all registers;
 *   <li>{@code sentinel-user}, {@code sentinel-password}, {@code sentinel-password-env}, {@code
 *       sentinel-password-file}: the account at the Sentinels;
 *   <li>{@code ca-file=PATH}: whom to trust instead of the JDK's trust store, as PEM;
 *   <li>{@code cert-file=PATH} and {@code key-file=PATH}: the client's certificate and its private
 *       key, as PEM.
 * </ul>
 */
public final class RedisStoreProvider implements StoreProvider {

  /** Creates an instance for {@link java.util.ServiceLoader}. */
  public RedisStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("redis", "rediss", "redis-sentinel", "rediss-sentinel");
  }

  @Override
  public String form() {
    return "redis://HOST:PORT";
  }

  @Override
  public RegisterStore open(StoreUri uri) {
    RedisAddress address = RedisAddress.of(uri);
    try {
      return LettuceConnection.open(address);
    } catch (NoClassDefFoundError e) {
      throw new StoreException(
          "Store "
              + uri
              + " did not find the class "
              + e.getMessage()
              + "; add io.lettuce:lettuce-core to the class path",
          e);
    }
  }
}
