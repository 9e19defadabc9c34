package io.firn.examples;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.store.RegisterStore;
import java.nio.file.Path;

/** A generator that switches to another layout when its namespace does. */
public final class TwoLayouts {

  private TwoLayouts() {}

  /** Leases a worker ID in the directory of the first argument. */
  public static void main(String[] args) {
    RegisterStore store = RegisterStore.open("file:" + Path.of(args[0]).toAbsolutePath());
    // begin layouts
    Snowflake ids =
        Snowflake.builder()
            .layout(IdLayout.JS_SAFE)
            .nextLayout(IdLayout.CLASSIC)
            .lease(store, "orders")
            .build();
    // end
    System.out.println(ids.layout().name().orElseThrow());
    ids.close();
  }
}
