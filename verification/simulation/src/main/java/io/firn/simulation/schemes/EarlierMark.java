package io.firn.simulation.schemes;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import java.time.Instant;
import java.util.regex.Pattern;

/** Shows the mark as if it had been written earlier, which shortens the settling time. */
class EarlierMark extends EditedSnapshot {
  private static final Pattern SINCE = Pattern.compile("since=(\\S+)");
  private final long millis;

  EarlierMark(RegisterStore store, long millis) {
    super(store);
    this.millis = millis;
  }

  @Override
  final Register edited(Register register, String identity) {
    return register.name().endsWith("/layout")
        ? new Register(
            register.name(),
            register.version(),
            SINCE
                .matcher(register.value())
                .replaceFirst(
                    since -> "since=" + Instant.parse(since.group(1)).minusMillis(millis)))
        : register;
  }
}
