package io.firn.server;

import io.firn.server.config.ServerConfig;
import io.firn.server.config.TokenConfig;
import io.firn.time.TimeSource;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The callers that a server answers, by their tokens. Thread-safe. */
public final class Callers {

  private final AuditLog audit;
  private final TimeSource time;
  private volatile Known known;

  /**
   * All callers.
   *
   * @param secrets those with tokens, and their secrets
   * @param anonymous the one without, where there are no tokens
   * @param certificates whether clients need certificates
   */
  private record Known(
      Map<Caller, byte[]> secrets, @Nullable Caller anonymous, boolean certificates) {}

  Callers(ServerConfig config, AuditLog audit, TimeSource time) {
    this.audit = audit;
    this.time = time;
    known = known(config, new Known(Map.of(), null, false));
  }

  /** Returns the callers of a configuration, among them those that were there before. */
  private Known known(ServerConfig config, Known before) {
    Map<Caller, byte[]> secrets = new LinkedHashMap<>();
    for (TokenConfig token : config.tokens()) {
      byte[] secret = bytes(token.secret());
      Caller caller =
          before.secrets().entrySet().stream()
              .filter(entry -> MessageDigest.isEqual(entry.getValue(), secret))
              .map(Map.Entry::getKey)
              .findFirst()
              .orElseGet(() -> new Caller(token, time));
      caller.update(token);
      secrets.put(caller, secret);
    }
    return new Known(
        secrets,
        secrets.isEmpty() ? anonymous(config, before) : null,
        config.requiresCertificates());
  }

  private Caller anonymous(ServerConfig config, Known before) {
    TokenConfig token = TokenConfig.anonymous(config);
    Caller caller = before.anonymous() == null ? new Caller(token, time) : before.anonymous();
    caller.update(token);
    return caller;
  }

  /**
   * Takes other tokens. A token is the same as before if its secret is, whatever its name is now.
   */
  void update(ServerConfig config) {
    Known before = known;
    Known now = known(config, before);
    known = now;
    before.secrets().keySet().stream()
        .filter(caller -> !now.secrets().containsKey(caller))
        .forEach(Caller::revoke);
    if (before.anonymous() != null && now.anonymous() == null) {
      before.anonymous().revoke();
    } else if (before.anonymous() == null && now.anonymous() != null) {
      audit.tokensRemoved();
    }
    if (before.certificates() && !now.certificates()) {
      audit.certificatesRemoved(now.anonymous() == null);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the caller that needs no token; empty if the server requires tokens. */
  public Optional<Caller> anonymous() {
    return Optional.ofNullable(known.anonymous());
  }

  /**
   * Returns the caller with a token, and logs a token that is not known; see {@link #find(String)}.
   *
   * @param client the address of the client
   */
  public Optional<Caller> find(String token, InetAddress client) {
    Optional<Caller> found = find(token);
    if (found.isEmpty() && known.anonymous() == null) {
      audit.wrongToken(client);
    }
    return found;
  }

  /** Logs that a request of a client is refused because it came without a token. */
  public void noToken(InetAddress client) {
    audit.noToken(client);
  }

  /** Returns the caller with a token. The time that this takes reveals nothing about the token. */
  public Optional<Caller> find(String token) {
    byte[] presented = bytes(token);
    Known all = known;
    Caller found = null;
    for (Map.Entry<Caller, byte[]> secret : all.secrets().entrySet()) {
      if (MessageDigest.isEqual(secret.getValue(), presented)) {
        found = secret.getKey();
      }
    }
    return Optional.ofNullable(found);
  }
}
