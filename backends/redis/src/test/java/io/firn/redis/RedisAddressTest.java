package io.firn.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.StoreProvider;
import io.firn.store.StoreUri;
import java.io.File;
import java.net.InetSocketAddress;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {

  private static RedisAddress address(String uri) {
    return RedisAddress.of(StoreUri.parse(uri));
  }

  private static InetSocketAddress server(String host, int port) {
    return InetSocketAddress.createUnresolved(host, port);
  }

  @Test
  void oneServer() {
    RedisAddress address = address("redis://here");
    assertThat(address.servers()).containsExactly(server("here", 6379));
    assertThat(address.tls()).isFalse();
    assertThat(address.cluster()).isFalse();
    assertThat(address.primary()).isEmpty();
    assertThat(address.database()).isZero();
    assertThat(address.key()).isEqualTo("firn:registers");
    assertThat(address.mayForget()).isTrue();
    assertThat(address.replicas()).isZero();
    assertThat(address("rediss://here:7000/").tls()).isTrue();
    assertThat(address("redis://here/15").database()).isEqualTo(15);
  }

  @Test
  void everyParameter() {
    RedisAddress address =
        address(
            "rediss://u:p@here?key={a}b&may-forget=false&replicas=99&timeout=1s"
                + "&ca-file=pom.xml&cert-file=src&key-file=target");
    assertThat(address.key()).isEqualTo("{a}b");
    assertThat(address.mayForget()).isFalse();
    assertThat(address.replicas()).isEqualTo(99);
    assertThat(address.files().authorities()).contains(Path.of("pom.xml"));
    assertThat(address.files().certificate()).contains(Path.of("src"));
    assertThat(address.files().key()).contains(Path.of("target"));
    assertThat(address.toString()).doesNotContain("u:p");
  }

  @Test
  void cluster() {
    RedisAddress address = address("redis://one,two:7000");
    assertThat(address.cluster()).isTrue();
    assertThat(address.servers()).containsExactly(server("one", 6379), server("two", 7000));
    assertThat(address("rediss://one?cluster=true").cluster()).isTrue();
  }

  @Test
  void sentinel() {
    RedisAddress address = address("redis-sentinel://one,two:7000/orders");
    assertThat(address.primary()).contains("orders");
    assertThat(address.servers()).containsExactly(server("one", 26379), server("two", 7000));
    assertThat(address.cluster()).isFalse();
    assertThat(address.database()).isZero();
    assertThat(address("rediss-sentinel://one/orders").tls()).isTrue();
    assertThat(address("redis-sentinel://one/orders/3").database()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis:            | HOST or HOST:PORT after //, separated by commas",
        "redis://a/x       | //HOST or //HOST/DB",
        "redis://a/12345   | //HOST or //HOST/DB",
        "redis://a,b/1     | no database, a cluster has only one",
        "redis://a,b?cluster=false | one server if it is no cluster",
        "redis://a?key=    | a key that is not empty",
        "redis://a?ca-file=pom.xml    | ca-file, cert-file and key-file with TLS only",
        "rediss://a?cert-file=pom.xml | cert-file and key-file together",
        "rediss://a?key-file=pom.xml  | cert-file and key-file together",
        "redis://user@a    | a password for the user",
        "redis-sentinel://a         | //HOST,HOST/PRIMARY or //HOST,HOST/PRIMARY/DB",
        "redis-sentinel://a/        | //HOST,HOST/PRIMARY or //HOST,HOST/PRIMARY/DB",
        "redis-sentinel://a/p/x     | //HOST,HOST/PRIMARY or //HOST,HOST/PRIMARY/DB",
        "redis-sentinel://a/p?cluster=true | Sentinel or a cluster, not both",
        "redis-sentinel://a/p?sentinel-user=u | sentinel-password for sentinel-user",
        "redis://a?sentinel-password=p | sentinel-password with Sentinel only"
      })
  void whatIsNoAddressIsRefused(String uri, String rule) {
    assertThatThrownBy(() -> RegisterStore.open(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith(" (expected: " + rule + ")")
        .hasMessageStartingWith("store: redis");
  }

  @Test
  void parameterThatMeansNothingIsRefused() {
    assertRefused("redis://a?replicas=-1", "replicas: -1 (expected: 0..99)");
    assertRefused("redis://a?replicas=100", "replicas: 100 (expected: 0..99)");
    assertRefused("redis://a?may-forget=no", "may-forget: no (expected: true or false)");
    assertRefused("rediss://a?ca-file=none", "ca-file: none (expected: a file to read)");
    assertRefused(
        "redis://a?keys=1",
        "keys: in redis://a?keys=*** (expected: one of key, may-forget, allow-counters, allow-eviction, replicas,"
            + " cluster, sentinel-user, sentinel-password, sentinel-password-env,"
            + " sentinel-password-file, ca-file, cert-file, key-file, timeout, user, password,"
            + " password-env, password-file)");
  }

  private static void assertRefused(String uri, String message) {
    assertThatThrownBy(() -> RegisterStore.open(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis://a", "rediss://a,b", "redis-sentinel://[::1]:1/p/2"})
  void openingDoesNotConnect(String uri) {
    RegisterStore store = RegisterStore.open(uri);
    assertThat(store).isInstanceOf(RedisRegisterStore.class).hasToString(uri);
    store.close();
  }

  @Test
  void addressNeedsLettuceAndAClientOfOnesOwnDoesNot() throws Exception {
    URL[] all =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.contains("lettuce"))
            .map(RedisAddressTest::url)
            .toArray(URL[]::new);
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader withoutLettuce =
        new URLClassLoader(all, ClassLoader.getPlatformClassLoader())) {
      Class<?> open = withoutLettuce.loadClass(WithoutLettuce.class.getName());
      Thread.currentThread().setContextClassLoader(withoutLettuce);
      assertThat(open.getMethod("tryBoth").invoke(null).toString())
          .startsWith("redis:k Store redis://a did not find the class io/lettuce/")
          .endsWith("; add io.lettuce:lettuce-core to the class path");
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Runs in a class loader of its own. */
  public static final class WithoutLettuce {

    private WithoutLettuce() {}

    public static String tryBoth() {
      RegisterStore bare = RedisRegisterStore.of((script, keys, args) -> List.of(), "k");
      try {
        return RegisterStore.open("redis://a").toString();
      } catch (StoreException e) {
        return bare + " " + e.getMessage();
      }
    }
  }

  @Test
  void providerIsFound() {
    assertThat(ServiceLoader.load(StoreProvider.class))
        .filteredOn(provider -> provider.schemes().contains("rediss-sentinel"))
        .singleElement()
        .isInstanceOf(RedisStoreProvider.class)
        .returns("redis://HOST:PORT", StoreProvider::form);
  }
}
