package io.firn.testservers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A key and a certificate of it, by itself, for the host name {@code localhost} and for nothing
 * else, not for 127.0.0.1; also as PEM files.
 */
final class LocalhostCertificate implements AutoCloseable {

  private static final String ALIAS = "localhost";
  private static final String PASSWORD = "changeit";
  private static final int LINE = 64;

  private final ScratchDirectory directory = ScratchDirectory.create("tls");
  private final KeyStore keys;

  LocalhostCertificate() {
    try {
      Path file = directory.resolve("keys.p12");
      keytool(
          "-J-XX:TieredStopAtLevel=1",
          "-J-XX:+UseSerialGC",
          "-genkeypair",
          "-alias",
          ALIAS,
          "-keyalg",
          "EC",
          "-dname",
          "CN=Firn's tests",
          "-ext",
          "san=dns:localhost",
          "-storetype",
          "PKCS12",
          "-storepass",
          PASSWORD,
          "-keystore",
          file.toString());
      keys = KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
      String certificate = pem("CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
      String key = pem("PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
      Files.writeString(certificate(), certificate);
      Files.writeString(key(), key);
      Files.writeString(keyAndCertificate(), key + certificate);
    } catch (IOException | GeneralSecurityException e) {
      directory.close();
      throw new IllegalStateException("certificate: none (expected: one for localhost)", e);
    }
  }

  private static void keytool(String... arguments) throws IOException {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    ProcessBuilder builder = new ProcessBuilder(arguments).redirectErrorStream(true);
    builder.command().add(0, keytool.toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exit = process.onExit().join().exitValue();
    if (exit != 0) {
      throw new IOException("keytool: exit " + exit + " (expected: 0): " + said);
    }
  }

  private static String pem(String what, byte[] content) {
    String lines = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(content);
    return "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n";
  }

  Path certificate() {
    return directory.resolve("certificate.pem");
  }

  Path key() {
    return directory.resolve("key.pem");
  }

  Path keyAndCertificate() {
    return directory.resolve("key-and-certificate.pem");
  }

  /** For those who show this certificate, and want to see it. */
  SSLContext context() {
    try {
      KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
      own.init(keys, PASSWORD.toCharArray());
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
      TrustManagerFactory others = TrustManagerFactory.getInstance("PKIX");
      others.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(own.getKeyManagers(), others.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("tls: no context (expected: one)", e);
    }
  }

  @Override
  public void close() {
    directory.close();
  }
}
