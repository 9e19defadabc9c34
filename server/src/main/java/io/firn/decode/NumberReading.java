package io.firn.decode;

import io.firn.IdLayout;
import io.firn.IdParts;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A text read as a 64-bit ID of a layout.
 *
 * @param form the form of the text
 * @param type the name of the layout
 * @param layout its bits
 * @param parts the ID's fields in it
 */
public record NumberReading(
    String form,
    String type,
    IdLayout layout,
    IdParts parts,
    boolean plausible,
    double score,
    List<String> reasons)
    implements Reading {

  @Override
  public String id() {
    return Long.toUnsignedString(parts.id());
  }

  @Override
  public Optional<Instant> instant() {
    return Optional.of(parts.instant());
  }

  @Override
  public NumberReading withForm(String form) {
    return new NumberReading(form, type, layout, parts, plausible, score, reasons);
  }
}
