package io.firn.cli;

import io.firn.server.Protocol;
import io.firn.server.RequestException;
import io.firn.server.Server;
import io.firn.server.config.SegmentConfig;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.TokenConfig;
import io.firn.server.config.TokenScope;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/** Requests an ID from a server of this process over each of its protocols. */
final class ServerCheck {

  private static final int TIMEOUT_MILLIS = 10_000;

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
      String message = String.valueOf(RequestException.of(e).getMessage());
      if (Failures.isRefusal(message)) {
        throw new BadInput(message);
      }
      shell.complain(message);
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    }
    boolean good = true;
    for (Protocol protocol : server.protocols()) {
      good &= check(protocol, Objects.requireNonNull(server.addresses().get(protocol.name())));
    }
    return good ? 0 : 1;
  }

  private boolean check(Protocol protocol, InetSocketAddress address) throws IOException {
    for (String namespace : numbersLast()) {
      Optional<TokenConfig> token = issuer(namespace);
      if (config.tokens().isEmpty() || token.isPresent()) {
        return check(protocol, address, namespace, token.map(TokenConfig::secret));
      }
    }
    return true; // no token covers a namespace of the configuration
  }

  /** Returns the namespaces, those of segments last: their numbers are not there to be wasted. */
  private List<String> numbersLast() {
    return config.permanent().stream()
        .sorted(
            Comparator.comparing(
                name -> config.namespace(name, true).orElseThrow() instanceof SegmentConfig))
        .toList();
  }

  /** Returns the token that may have the most IDs of a namespace. */
  private Optional<TokenConfig> issuer(String namespace) {
    return config.tokens().stream()
        .filter(token -> token.permits(namespace) && token.scopes().contains(TokenScope.ISSUE))
        .max(Comparator.comparingInt(token -> token.rate().orElse(Integer.MAX_VALUE)));
  }

  private boolean check(
      Protocol protocol, InetSocketAddress address, String namespace, Optional<String> token)
      throws IOException {
    Protocol.Probe probe = protocol.probe(namespace, token);
    String answer = ask(address, probe.request());
    if (probe.answer().matcher(answer).matches()) {
      return true;
    }
    shell.complain(protocol.name() + ": " + answer.strip() + " (expected: an ID)");
    return false;
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
