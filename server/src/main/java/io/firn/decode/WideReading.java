package io.firn.decode;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A text read as an ID of more than 64 bits.
 *
 * @param title what it is, for people
 * @param fields what it holds beside the time, by name, in their order
 */
public record WideReading(
    String id,
    String form,
    String type,
    String title,
    Optional<Instant> instant,
    Map<String, String> fields,
    boolean plausible,
    double score,
    List<String> reasons)
    implements Reading {

  @Override
  public WideReading withForm(String form) {
    return new WideReading(id, form, type, title, instant, fields, plausible, score, reasons);
  }
}
