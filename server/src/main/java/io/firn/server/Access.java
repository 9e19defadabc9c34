package io.firn.server;

import io.firn.server.config.ServerConfig;
import io.firn.server.config.TokenConfig;
import io.firn.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who may ask. Thread-safe. */
public final class Access {

  private final Map<Client, byte[]> secrets = new LinkedHashMap<>();
  private final @Nullable Client everybody;

  Access(ServerConfig config, TimeSource time) {
    config
        .tokens()
        .forEach(token -> secrets.put(client(token, config, time), bytes(token.secret())));
    everybody =
        secrets.isEmpty()
            ? client(new TokenConfig("everybody", "", List.of("*")), config, time)
            : null;
  }

  private static Client client(TokenConfig token, ServerConfig config, TimeSource time) {
    return new Client(token, config.limits().rate(), time);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The client that needs no token; empty where tokens are asked for. */
  public Optional<Client> everybody() {
    return Optional.ofNullable(everybody);
  }

  /** The client that presents a token; in a time that tells nothing of the token's text. */
  public Optional<Client> client(String token) {
    byte[] presented = bytes(token);
    Client found = null;
    for (Map.Entry<Client, byte[]> secret : secrets.entrySet()) {
      if (MessageDigest.isEqual(secret.getValue(), presented)) {
        found = secret.getKey();
      }
    }
    return Optional.ofNullable(found);
  }
}
