package io.firn.faults;

/**
 * A store that loses writes just after worker IDs changed hands: half of the processes end, the
 * state of then is kept, others take their worker IDs, and the store goes back to that state. More
 * processes are there by then and take what seems free.
 */
abstract class HandedOver implements Scenario {

  /** For processes to start. */
  private static final double STARTED = 0.15;

  /** Those that take over have IDs by then, and renew later. */
  private static final double HANDED_OVER = 0.05;

  @Override
  public double windowShare() {
    return 0.4;
  }

  @Override
  public boolean isCrowded() {
    return true;
  }

  /** More than a settling time after the first mark. */
  double saved() {
    return windowShare() + splitShare() + 0.05;
  }

  abstract void save();

  /** Loses what was written since it was saved. */
  abstract void lose();

  /** Starts processes that find no free worker ID before writes are lost. */
  void launch(Fleet fleet, int count) {
    fleet.launch(count);
  }

  @Override
  public final void play(Stage stage, Fleet fleet) {
    stage.awaitShare(saved() - STARTED);
    int all = fleet.size();
    int half = (all + 1) / 2;
    fleet.launch(half);
    launch(fleet, all);
    stage.awaitShare(saved());
    signal(fleet, all, fleet.size(), "STOP");
    fleet.retire(half);
    save();
    signal(fleet, all - half, all, "CONT");
    stage.pass(HANDED_OVER);
    lose();
    signal(fleet, all, fleet.size(), "CONT");
    stage.pass(splitShare());
    end();
    stage.awaitShare(1);
  }

  private static void signal(Fleet fleet, int from, int to, String name) {
    for (int i = from; i < to; i++) {
      fleet.signal(i, name);
    }
  }

  /** Ends what went on beside the new store. */
  void end() {}
}
