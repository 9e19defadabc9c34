package io.firn.cli;

import io.firn.server.Service;
import picocli.CommandLine.IVersionProvider;

/** The version that the jar's manifest names. */
final class Version implements IVersionProvider {

  @Override
  public String[] getVersion() {
    return new String[] {text()};
  }

  static String text() {
    return "firn " + Service.version();
  }
}
