package io.firn.examples;

import io.firn.IdLayout;
import io.firn.Snowflake;

/** IDs that a browser gets as numbers. */
public final class Browsers {

  private Browsers() {}

  /** Prints an ID, and what is left of two after a browser has read them. */
  public static void main(String[] args) {
    // begin browsers
    Snowflake ids = Snowflake.builder().layout(IdLayout.JS_SAFE).worker(7).build();
    long safe = ids.nextId();
    long wide = 117610173326504099L;
    System.out.println(((long) (double) safe == safe) + " " + (long) (double) wide);
    // end
  }
}
