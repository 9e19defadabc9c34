package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.LogLines;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What processes log of a change of layout. */
class LayoutLogTest extends ChangingNamespace {

  @Test
  void processesLogTheChangeThatTheySeeAndWhetherTheySwitch() {
    try (LogLines log = new LogLines("io.firn.lease")) {
      startBoth(fleet.member());
      fleet.member().start(OLD);
      change();
      fleet.pass(Duration.ofMinutes(2));
      String seen = "namespace orders changes to layout " + NEW + " at " + AT + "; this process ";
      assertThat(log.messages())
          .containsOnlyOnce(seen + "switches to it", seen + "does not have that and stops");
      change.callOff();
      fleet.pass(Duration.ofMinutes(2));
      assertThat(log.messages())
          .filteredOn(("namespace orders stays with layout " + OLD)::equals)
          .hasSize(2);
    }
  }
}
