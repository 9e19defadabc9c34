package io.firn.faults;

import io.firn.testservers.LocalServer;

/** Servers of which one is killed and restarted three times. */
record Killed(String store, Runnable killAndRestart, Runnable end) implements Scenario {

  private static final int KILLS = 3;

  static Killed of(LocalServer server, String store) {
    return new Killed(
        store,
        () -> {
          server.kill();
          server.restart();
        },
        server::close);
  }

  @Override
  public void play(Stage stage, Fleet fleet) {
    for (int i = 1; i <= KILLS; i++) {
      stage.awaitShare((double) i / (KILLS + 1));
      killAndRestart.run();
    }
    stage.awaitShare(1);
  }

  @Override
  public void close() {
    end.run();
  }
}
