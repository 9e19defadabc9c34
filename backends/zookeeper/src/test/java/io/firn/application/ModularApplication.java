package io.firn.application;

import io.firn.lease.RegisterStore;

/** An application that has Firn's modules on the module path, and writes a register. */
final class ModularApplication {

  private ModularApplication() {}

  public static void main(String[] args) {
    try (RegisterStore store = RegisterStore.open(args[0])) {
      System.out.print(
          store.getClass().getModule() + ": " + store.compareAndSet("a", 0, "x").outcome());
    }
  }
}
