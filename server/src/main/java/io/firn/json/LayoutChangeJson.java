package io.firn.json;

import io.firn.IdLayout;
import io.firn.lease.LayoutChange.Plan;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/**
 * The JSON form of a change of layout. The schema {@code LayoutChange} of {@code openapi.json}
 * describes it.
 *
 * @param namespace the namespace whose layout changes
 * @param plan the change that was proposed or took place last
 * @param taken when that was read
 */
public record LayoutChangeJson(String namespace, Plan plan, Instant taken) {

  /** Returns proposed for a change that was not completed, fixed for one ahead, or done. */
  public String state() {
    if (!plan.fixed()) {
      return "proposed";
    }
    return isAhead() ? "fixed" : "done";
  }

  /** Returns whether the change is not in force, or was not completed. */
  public boolean isAhead() {
    return !plan.fixed() || taken.isBefore(plan.at());
  }

  /** Returns the time from when it was read to the change; negative if that is over. */
  public Duration left() {
    return Duration.between(taken, plan.at());
  }

  /** Returns the name of a layout, or its text form if it has none. */
  public static String nameOf(IdLayout layout) {
    return layout.name().orElseGet(layout::toString);
  }

  /** Writes the members. */
  public void writeTo(Json json) throws IOException {
    json.text("namespace", namespace)
        .text("from", plan.from().toString())
        .text("to", plan.to().toString())
        .time("at", plan.at())
        .text("state", state())
        .flag("grows", plan.grows());
  }
}
