package io.firn.cli;

import io.firn.text.IdFormat;
import java.util.Arrays;
import java.util.Iterator;

/** What a shell may complete the argument of {@code --format} to. */
final class FormatArgument implements Iterable<String> {

  @Override
  public Iterator<String> iterator() {
    return Arrays.stream(IdFormat.values()).map(IdFormat::label).iterator();
  }
}
