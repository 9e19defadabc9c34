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

/** The callers that a server answers, by their tokens. Thread-safe. */
public final class Callers {

  private final Map<Caller, byte[]> secrets = new LinkedHashMap<>();
  private final @Nullable Caller anonymous;

  Callers(ServerConfig config, TimeSource time) {
    config
        .tokens()
        .forEach(token -> secrets.put(caller(token, config, time), bytes(token.secret())));
    anonymous =
        secrets.isEmpty()
            ? caller(new TokenConfig("anonymous", "", List.of("*")), config, time)
            : null;
  }

  private static Caller caller(TokenConfig token, ServerConfig config, TimeSource time) {
    return new Caller(token, config.limits().rate(), time);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the caller that needs no token; empty if the server requires tokens. */
  public Optional<Caller> anonymous() {
    return Optional.ofNullable(anonymous);
  }

  /** Returns the caller with a token. The time that this takes reveals nothing about the token. */
  public Optional<Caller> find(String token) {
    byte[] presented = bytes(token);
    Caller found = null;
    for (Map.Entry<Caller, byte[]> secret : secrets.entrySet()) {
      if (MessageDigest.isEqual(secret.getValue(), presented)) {
        found = secret.getKey();
      }
    }
    return Optional.ofNullable(found);
  }
}
