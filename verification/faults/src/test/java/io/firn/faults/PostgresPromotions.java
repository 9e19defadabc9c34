package io.firn.faults;

import io.firn.testkit.CuttingProxy;
import io.firn.testservers.PostgresServer;
import java.nio.file.Path;

/** PostgreSQL servers whose standby takes their place. */
final class PostgresPromotions {

  private PostgresPromotions() {}

  /** The standby is cut off, commits do not wait for it, and it takes the place of the primary. */
  static final class AsyncPromoted extends HandedOver {

    private final PostgresServer primary = PostgresServer.start();
    private final PostgresServer standby = PostgresServer.startStandbyOf(primary, "s1");
    private final CuttingProxy address = CuttingProxy.to(primary.address());

    AsyncPromoted(Path directory) {}

    @Override
    public String store() {
      return primary.jdbcUrl(address.address()) + "&may-forget=true";
    }

    /** A standby that hangs has what is in its socket. */
    @Override
    void save() {
      standby.kill();
    }

    @Override
    void lose() {
      primary.kill();
      standby.restart();
      standby.promote();
      address.moveTo(standby.address());
    }

    @Override
    public void close() {
      try (primary;
          standby) {
        address.close();
      }
    }
  }

  /**
   * The standby is lost first, so that commits wait for it, those of renewals too. A restart of the
   * primary makes them visible although the standby never got them. Then the primary is lost, the
   * standby takes its place and its address, and more processes take the worker IDs whose windows,
   * as far as the standby knows, have ended.
   */
  static final class Promoted implements Scenario {

    private static final String NAME = "s1";
    private static final double WINDOW = 0.3;
    private static final double STANDBY_LOST = 0.15;

    /** Every holder has tried to renew by then. */
    private static final double PRIMARY_RESTARTED = STANDBY_LOST + 0.55 * WINDOW;

    /** Every holder has read its register by then. */
    private static final double VISIBLE = 0.15 * WINDOW;

    /** Most windows that the standby knows of have ended by then. */
    private static final double STANDBY_BACK = STANDBY_LOST + 0.85 * WINDOW;

    private final PostgresServer primary =
        PostgresServer.start("-c", "synchronous_standby_names=" + NAME);
    private final PostgresServer standby = PostgresServer.startStandbyOf(primary, NAME);
    private final CuttingProxy address = CuttingProxy.to(primary.address());

    Promoted(Path directory) {}

    @Override
    public String store() {
      return primary.jdbcUrl(address.address());
    }

    @Override
    public double windowShare() {
      return WINDOW;
    }

    @Override
    public boolean isCrowded() {
      return true;
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      stage.awaitShare(STANDBY_LOST);
      standby.pause();
      stage.awaitShare(PRIMARY_RESTARTED);
      primary.kill();
      primary.restart();
      fleet.launch(fleet.size());
      stage.pass(VISIBLE);
      primary.kill();
      stage.awaitShare(STANDBY_BACK);
      standby.resume();
      standby.promote();
      address.moveTo(standby.address());
      stage.awaitShare(1);
    }

    @Override
    public void close() {
      try (primary;
          standby) {
        address.close();
      }
    }
  }
}
