package io.firn.cli;

import picocli.CommandLine.IVersionProvider;

/** The version that the jar's manifest names. */
final class Version implements IVersionProvider {

  @Override
  public String[] getVersion() {
    return new String[] {text()};
  }

  static String text() {
    String version = Version.class.getPackage().getImplementationVersion();
    return "firn " + (version == null ? "development" : version);
  }
}
