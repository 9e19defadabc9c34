package io.firn.faults;

import io.firn.testservers.LocalServer;

/** A server that hangs for a window and a half. */
record Hung(LocalServer server, String store) implements Scenario {

  @Override
  public void play(Stage stage, Fleet fleet) {
    stage.awaitShare(0.3);
    server.pause();
    stage.awaitShare(0.3 + 1.5 * windowShare());
    server.resume();
    stage.awaitShare(1);
  }

  @Override
  public void close() {
    server.close();
  }
}
