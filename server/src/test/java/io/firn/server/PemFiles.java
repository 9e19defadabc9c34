package io.firn.server;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/** A certificate of its own making, and its key, in files that a test can have replaced. */
public final class PemFiles {

  private static final char[] PASSWORD = "password".toCharArray();

  private KeyStore keys;
  private final Path certificate;
  private final Path key;

  /** Makes them in a directory. */
  public PemFiles(Path directory, String commonName) throws Exception {
    certificate = directory.resolve("certificate.pem");
    key = directory.resolve("key.pem");
    write(commonName);
  }

  /** Makes others in their place. */
  public void write(String commonName) throws Exception {
    Path store = Files.createTempFile(certificate.getParent(), "keys", ".p12");
    Files.delete(store);
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + commonName,
                "-ext",
                "SAN=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-alias",
                "a",
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) {
      throw new AssertionError(output);
    }
    keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    Files.delete(store);
    pem(certificate, "CERTIFICATE", keys.getCertificate("a").getEncoded());
    pem(key, "PRIVATE KEY", keys.getKey("a", PASSWORD).getEncoded());
  }

  private static void pem(Path file, String type, byte[] bytes) throws Exception {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    Files.writeString(
        file, "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
  }

  /** For a client that presents the certificate. */
  public KeyManager[] keyManagers() throws Exception {
    KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(keys, PASSWORD);
    return managers.getKeyManagers();
  }

  /** As a line of the server's configuration. */
  public String yaml() {
    return "tls: {certificate: " + certificate + ", key: " + key + "}";
  }

  /** The file of the certificate. */
  public Path certificate() {
    return certificate;
  }

  /** The file of its key. */
  public Path key() {
    return key;
  }
}
