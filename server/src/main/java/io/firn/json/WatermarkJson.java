package io.firn.json;

import io.firn.lease.Watermark.Reading;
import io.firn.lease.WorkerEntry;
import java.io.IOException;

/**
 * The JSON form of a watermark, the same over HTTP and from the command line. The schema {@code
 * Watermark} of {@code openapi.json} describes it.
 *
 * @param namespace its namespace
 * @param reading the watermark
 */
public record WatermarkJson(String namespace, Reading reading) {

  /** Writes the members. */
  public void writeTo(Json json) throws IOException {
    json.text("namespace", namespace)
        .id("id", reading.id())
        .time("before", reading.before())
        .number("lag_ms", reading.lag().toMillis())
        .array("held_back_by", reading.heldBackBy(), WatermarkJson::holder);
  }

  private static void holder(Json json, WorkerEntry holder) throws IOException {
    json.number("worker", holder.worker())
        .text("holder", holder.holder())
        .number("pid", holder.pid())
        .time("fence", holder.fence())
        .time("low", holder.low());
  }
}
