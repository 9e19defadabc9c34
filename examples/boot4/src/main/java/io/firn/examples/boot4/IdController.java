package io.firn.examples.boot4;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.firn.IdGenerator;
import io.firn.IdLayout;
import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/ids")
class IdController {

  record Field(String kind, String bits) {}

  record Explained(
      @JsonFormat(shape = JsonFormat.Shape.STRING) long id,
      String instant,
      long worker,
      List<Field> fields) {}

  private final IdGenerator ids;
  private final IdLayout layout = IdLayout.CLASSIC;

  IdController(@Qualifier("orders") IdGenerator ids) {
    this.ids = ids;
  }

  @GetMapping
  List<String> next(@RequestParam(defaultValue = "10") int count) {
    long[] batch = new long[Math.max(1, Math.min(count, 10_000))];
    ids.nextIds(batch);
    return Arrays.stream(batch).mapToObj(Long::toString).toList();
  }

  @GetMapping("/{id}")
  Explained explain(@PathVariable long id) {
    var parts = layout.parse(id);
    return new Explained(
        id,
        parts.instant().toString(),
        parts.worker(),
        layout.fields().stream().map(field -> field(field, id)).toList());
  }

  private static Field field(IdLayout.Field field, long id) {
    String bits = Long.toBinaryString(((id >>> field.shift()) & field.max()) | (field.max() + 1));
    return new Field(field.kind().label(), bits.substring(1));
  }
}
