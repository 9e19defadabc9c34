package io.firn.cli;

import io.firn.key.KeyGenerator;
import java.util.Iterator;

/** What a shell may complete the argument of {@code --type} to. */
final class TypeArgument implements Iterable<String> {

  @Override
  public Iterator<String> iterator() {
    return KeyGenerator.types().iterator();
  }
}
