package io.firn.decode;

import io.firn.IdLayout;
import io.firn.IdLayout.Field;
import io.firn.IdParts;
import io.firn.internal.IsoTime;
import io.firn.text.IdFormat;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A text read as a 64-bit ID of a layout.
 *
 * @param form the form of the text
 * @param type the name of the layout, its text form if it has none
 * @param layout its bits
 * @param parts the ID's fields in it
 * @param namespaces the known namespaces that may have issued the ID
 */
public record NumberReading(
    String form,
    String type,
    IdLayout layout,
    IdParts parts,
    List<String> namespaces,
    boolean plausible,
    double score,
    List<String> reasons)
    implements Reading {

  @Override
  public String id() {
    return Long.toUnsignedString(parts.id());
  }

  /** Returns the name of the layout and its text form, and the known namespaces. */
  @Override
  public String title() {
    String title = layout.name().map(name -> name + " " + layout).orElse(type);
    return namespaces.isEmpty() ? title : title + ", namespace " + Names.joined(namespaces, "or");
  }

  @Override
  public Optional<Instant> instant() {
    return Optional.of(parts.instant());
  }

  @Override
  public String binary() {
    return IdFormat.BINARY.format(parts.id());
  }

  @Override
  public List<IdField> fields() {
    return layout.fields().stream().map(this::field).toList();
  }

  private IdField field(Field field) {
    String value =
        switch (field.kind()) {
          case TIME -> IsoTime.utc(parts.instant());
          case DATACENTER -> Long.toString(parts.datacenter());
          case WORKER -> Long.toString(parts.worker());
          case SEQUENCE -> Long.toString(parts.sequence());
        };
    return new IdField(field.kind().label(), field.bits(), field.shift(), value);
  }

  @Override
  public NumberReading withForm(String form) {
    return new NumberReading(form, type, layout, parts, namespaces, plausible, score, reasons);
  }
}
