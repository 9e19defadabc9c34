package io.firn.server.redis;

import io.firn.server.Caller;
import io.firn.server.config.TokenScope;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The connections that CLIENT LIST and CLIENT KILL select: those that all filters match, among
 * those that the caller may see. The time to look at a connection does not grow with the number of
 * filters.
 */
final class ClientFilter {

  private final Caller caller;
  private final boolean seesAll;
  private final Map<String, String> texts = new HashMap<>();
  private @Nullable Set<Long> ids;

  /** Selects what a caller may see: a token for everything that may read sees all. */
  ClientFilter(Caller caller) {
    this.caller = caller;
    seesAll = caller.permitsAll() && caller.has(TokenScope.READ);
  }

  /** Selects among some IDs. */
  void ids(Set<Long> wanted) {
    Set<Long> before = ids;
    ids =
        before == null
            ? wanted
            : before.stream().filter(wanted::contains).collect(Collectors.toSet());
  }

  /** Selects a value of {@code addr}, {@code laddr} or {@code user}. */
  void text(String kind, String value) {
    String before = texts.putIfAbsent(kind, value);
    if (before != null && !before.equals(value)) {
      ids = Set.of();
    }
  }

  /** Selects a type; all connections have the same. */
  void type(String value) {
    if (!value.equalsIgnoreCase("normal")) {
      ids = Set.of();
    }
  }

  /** Returns the selected sessions, in the order of their IDs, as a list that can be changed. */
  List<RedisSession> select(Map<Long, RedisSession> sessions) {
    return candidates(sessions).stream()
        .filter(this::matches)
        .sorted(Comparator.comparingLong(RedisSession::id))
        .collect(Collectors.toList());
  }

  private Collection<RedisSession> candidates(Map<Long, RedisSession> sessions) {
    return ids == null
        ? sessions.values()
        : ids.stream().map(sessions::get).filter(Objects::nonNull).toList();
  }

  private boolean matches(RedisSession session) {
    if (!seesAll && !caller.equals(session.caller())) {
      return false;
    }
    if (texts.isEmpty()) {
      return true;
    }
    List<String> ends = session.connection().ends();
    return isWanted("addr", ends.get(0))
        && isWanted("laddr", ends.get(1))
        && isWanted("user", ClientCommands.user(session.caller()));
  }

  private boolean isWanted(String kind, String value) {
    return value.equals(texts.getOrDefault(kind, value));
  }
}
