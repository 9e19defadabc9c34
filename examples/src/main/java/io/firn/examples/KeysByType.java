package io.firn.examples;

import io.firn.key.KeyGenerator;
import java.util.Map;

/** Generators by the names of their types, Firn's own and {@link OrderNumbers}. */
public final class KeysByType {

  private KeysByType() {}

  /** Prints a key of each type. */
  public static void main(String[] args) {
    String store = args[0];
    // begin types
    Map<String, String> properties = Map.of("store", store, "namespace", "orders");
    try (KeyGenerator keys = KeyGenerator.open("snowflake", properties)) {
      System.out.println(keys.nextKey());
    }
    try (KeyGenerator keys = KeyGenerator.open("order-number", Map.of("prefix", "invoice"))) {
      System.out.println(keys.nextKey());
    }
    // end
  }
}
