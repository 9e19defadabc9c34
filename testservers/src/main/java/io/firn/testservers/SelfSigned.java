package io.firn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/** A key and its certificate, signed by the key itself. The JDK's keytool makes them. */
public final class SelfSigned {

  private static final String ALIAS = "self";
  private static final String PASSWORD = "password";
  private static final int LINE = 64;

  /** By common name and alternative name. */
  private static final ConcurrentMap<List<String>, SelfSigned> MADE = new ConcurrentHashMap<>();

  private final Certificate certificate;
  private final String certificatePem;
  private final String keyPem;
  private final List<KeyManager> keyManagers;

  private SelfSigned(KeyStore keys) throws GeneralSecurityException {
    char[] password = PASSWORD.toCharArray();
    certificate = keys.getCertificate(ALIAS);
    certificatePem = pem("CERTIFICATE", certificate.getEncoded());
    keyPem = pem("PRIVATE KEY", keys.getKey(ALIAS, password).getEncoded());
    KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(keys, password);
    keyManagers = List.of(managers.getKeyManagers());
  }

  /**
   * Returns the key and the certificate of a subject, which are made once in a process: that takes
   * keytool a second.
   *
   * @param commonName the subject of the certificate
   * @param alternativeName the host of the certificate, such as {@code ip:127.0.0.1}
   */
  public static SelfSigned of(String commonName, String alternativeName) {
    return MADE.computeIfAbsent(
        List.of(commonName, alternativeName), names -> make(commonName, alternativeName));
  }

  private static SelfSigned make(String commonName, String alternativeName) {
    try (ScratchDirectory directory = ScratchDirectory.create("keys")) {
      Path store = directory.resolve("keys.p12");
      keytool(
          "-J-XX:TieredStopAtLevel=1",
          "-J-XX:+UseSerialGC",
          "-genkeypair",
          "-alias",
          ALIAS,
          "-keyalg",
          "EC",
          "-dname",
          "CN=" + commonName,
          "-ext",
          "san=" + alternativeName,
          "-storetype",
          "PKCS12",
          "-storepass",
          PASSWORD,
          "-keystore",
          store.toString());
      return new SelfSigned(KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
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

  /** Returns the certificate. */
  public Certificate certificate() {
    return certificate;
  }

  /** Returns the certificate as the text of a PEM file. */
  public String certificatePem() {
    return certificatePem;
  }

  /** Returns the key as the text of a PEM file. */
  public String keyPem() {
    return keyPem;
  }

  /** Returns what a side of a TLS connection needs that presents the certificate. */
  public KeyManager[] keyManagers() {
    return keyManagers.toArray(KeyManager[]::new);
  }
}
