package io.firn.cli;

import io.firn.server.Refusal;
import io.firn.server.Server;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.TokenConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

/** Asks a server of this process for an ID over each of its protocols. */
final class ServerCheck {

  private static final int TIMEOUT_MILLIS = 10_000;

  private static final Map<String, Pattern> ANSWERS =
      Map.of(
          "http", Pattern.compile("HTTP/1.1 200 .*\r\n\r\n[0-9]+\n", Pattern.DOTALL),
          "redis", Pattern.compile("(\\+OK\r\n)?:[0-9]+\r\n\\+OK\r\n"),
          "thrift", Pattern.compile(".{8}\0\0\0\6get_id.{4}\n\0\0.{8}\0.*", Pattern.DOTALL));

  /** A call of get_id, and a frame so long that the server closes. */
  private static final String THRIFT_CALL =
      "\0\0\0\36\u0080\1\0\1\0\0\0\6get_id\0\0\0\1\13\0\1\0\0\0\4firn\0\177\177\177\177";

  private final Server server;
  private final ServerConfig config;
  private final Shell shell;

  ServerCheck(Server server, Shell shell) {
    this.server = server;
    this.shell = shell;
    config = server.service().config();
  }

  /** Returns the exit code. */
  int run() throws IOException {
    try {
      server.openNamespaces().get();
    } catch (ExecutionException e) {
      shell.complain(String.valueOf(Refusal.of(e).getMessage()));
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    }
    boolean good = true;
    for (Map.Entry<String, InetSocketAddress> face : server.addresses().entrySet()) {
      good &= asks(face.getKey(), face.getValue());
    }
    return good ? 0 : 1;
  }

  private boolean asks(String face, InetSocketAddress address) throws IOException {
    String answer = ask(address, request(face));
    if (Objects.requireNonNull(ANSWERS.get(face)).matcher(answer).matches()) {
      return true;
    }
    shell.complain(face + ": " + answer.strip() + " (expected: an ID)");
    return false;
  }

  private String request(String face) {
    String namespace = config.required().get(0);
    Optional<String> secret =
        config.tokens().stream()
            .filter(token -> token.permits(namespace))
            .map(TokenConfig::secret)
            .findFirst();
    return switch (face) {
      case "http" ->
          "GET /v1/ids/"
              + namespace
              + " HTTP/1.0\r\n"
              + secret.map(text -> "Authorization: Bearer " + text + "\r\n").orElse("")
              + "\r\n";
      case "redis" ->
          secret.map(text -> "AUTH " + text + "\r\n").orElse("")
              + "INCR "
              + namespace
              + "\r\nQUIT\r\n";
      default -> THRIFT_CALL;
    };
  }

  private String ask(InetSocketAddress address, String request) throws IOException {
    try (Socket socket = socket(address)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  private Socket socket(InetSocketAddress address) throws IOException {
    return config.tls().isPresent()
        ? AnyCertificate.socketFactory().createSocket(address.getAddress(), address.getPort())
        : new Socket(address.getAddress(), address.getPort());
  }
}
