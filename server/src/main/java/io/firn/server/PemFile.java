package io.firn.server;

import io.firn.server.config.RegularFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The blocks of a PEM file. A file that ends within a block is refused: a tool may be writing it,
 * and a chain or a bundle of authorities would lack its end.
 */
final class PemFile {

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([^-\r\n]+)-----([^-]*+)-----END \\1-----");

  /** A line that begins or ends a block, or that is cut off in its first five characters. */
  private static final Pattern PART_OF_A_BLOCK = Pattern.compile("-----.*|-{1,4}");

  private static final List<String> KEY_ALGORITHMS = List.of("EC", "RSA", "EdDSA", "RSASSA-PSS");

  private final Path path;
  private final List<MatchResult> blocks;

  private PemFile(Path path) throws IOException {
    this.path = path;
    Matcher found = BLOCK.matcher(RegularFile.read(path, StandardCharsets.ISO_8859_1));
    blocks = found.results().toList();
    if (found.replaceAll("").lines().anyMatch(PART_OF_A_BLOCK.asMatchPredicate())) {
      throw new IOException("a BEGIN without its END in " + path);
    }
  }

  /**
   * Returns the certificates of a file, at least one.
   *
   * @throws IOException if the file cannot be read, or is cut off
   */
  static List<X509Certificate> certificates(Path path)
      throws IOException, GeneralSecurityException {
    PemFile file = new PemFile(path);
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    List<X509Certificate> certificates = new ArrayList<>();
    for (byte[] block : file.contents("CERTIFICATE")) {
      certificates.add(
          (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block)));
    }
    return certificates;
  }

  /**
   * Returns the private key of a file, which is in PKCS #8.
   *
   * @throws IOException if the file cannot be read, or is cut off
   */
  static PrivateKey key(Path path) throws IOException, GeneralSecurityException {
    PKCS8EncodedKeySpec content =
        new PKCS8EncodedKeySpec(new PemFile(path).contents("PRIVATE KEY").get(0));
    InvalidKeySpecException none =
        new InvalidKeySpecException(
            "no key of " + String.join(", ", KEY_ALGORITHMS) + " in " + path);
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(content);
      } catch (InvalidKeySpecException e) {
        none.addSuppressed(e);
      }
    }
    throw none;
  }

  /** Returns what the blocks of a kind contain, of which there is at least one. */
  private List<byte[]> contents(String kind) throws IOException {
    List<byte[]> contents = new ArrayList<>();
    for (MatchResult block : blocks) {
      if (block.group(1).equals(kind)) {
        contents.add(decoded(block.group(2)));
      }
    }
    if (contents.isEmpty()) {
      throw new IOException("no block " + kind + " in " + path);
    }
    return contents;
  }

  private byte[] decoded(String text) throws IOException {
    try {
      return Base64.getDecoder().decode(text.replaceAll("\\s", ""));
    } catch (IllegalArgumentException e) {
      throw new IOException("a block that is no Base64 in " + path + ": " + e.getMessage(), e);
    }
  }
}
