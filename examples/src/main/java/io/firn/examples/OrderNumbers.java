package io.firn.examples;

import io.firn.key.KeyGenerator;
import io.firn.key.KeyGeneratorProvider;
import io.firn.key.KeyProperties;
import io.firn.text.IdPrefix;
import io.firn.wide.Uuids;

// begin provider
/** The type {@code order-number}: a UUID behind a prefix. */
public final class OrderNumbers implements KeyGeneratorProvider {

  @Override
  public String type() {
    return "order-number";
  }

  @Override
  public KeyGenerator open(KeyProperties properties) {
    String prefix = properties.allow("prefix").text("prefix").orElse("order");
    IdPrefix start = IdPrefix.of(prefix);
    return () -> start.add(Uuids.toBase32(Uuids.v7().nextId()));
  }
}
// end
