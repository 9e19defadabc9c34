package io.firn.simulation.schemes;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.testkit.InterposedStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Shows the mark as if it had been written earlier: so much less is the settling time. */
class EarlierMark extends InterposedStore {
  private static final Pattern SINCE = Pattern.compile("since=(\\S+)");
  private final long millis;

  EarlierMark(RegisterStore store, long millis) {
    super(store);
    this.millis = millis;
  }

  @Override
  public Optional<Snapshot> snapshot(List<String> names) {
    return super.snapshot(names)
        .map(
            read ->
                new Snapshot(
                    read.identity(),
                    read.timeMillis(),
                    read.registers().stream().map(this::earlier).toList()));
  }

  private Register earlier(Register register) {
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
