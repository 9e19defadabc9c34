package io.firn.decode;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A text read as an ID of more than 64 bits. */
public record WideReading(
    String id,
    String form,
    String type,
    String title,
    Optional<Instant> instant,
    String binary,
    List<IdField> fields,
    double score,
    List<String> reasons)
    implements Reading {

  /** Returns true: its form is unambiguous. */
  @Override
  public boolean plausible() {
    return true;
  }

  @Override
  public WideReading withForm(String form) {
    return new WideReading(id, form, type, title, instant, binary, fields, score, reasons);
  }
}
