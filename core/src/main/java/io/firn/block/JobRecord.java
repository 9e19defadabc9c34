package io.firn.block;

import io.firn.internal.RecordText;
import io.firn.store.Register;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The value of a job's register.
 *
 * @param generation how often the name was used, from 1 on
 * @param forgotten whether the name is free
 * @param kept whether a write of this generation was acknowledged before this one was sent: then
 *     the generation and the shape count even if a failover takes this write back
 * @param shape the shape of the job
 * @param created when it began, for people
 * @param nonce names the one write
 */
record JobRecord(
    long generation, boolean forgotten, boolean kept, String shape, Instant created, String nonce) {

  private static final String KIND = "firn-job";
  private static final int FORMAT = 1;

  static JobRecord parse(Register register) {
    Map<String, String> fields = RecordText.read(register, KIND, FORMAT);
    try {
      return new JobRecord(
          Long.parseLong(RecordText.required(register, fields, "generation")),
          flag(register, "forgotten", RecordText.required(register, fields, "forgotten")),
          flag(register, "kept", fields.getOrDefault("kept", "false")),
          RecordText.required(register, fields, "shape"),
          Instant.parse(RecordText.required(register, fields, "created")),
          RecordText.required(register, fields, "nonce"));
    } catch (DateTimeException | NumberFormatException e) {
      throw RecordText.refused(register, "generation a number and created an instant");
    }
  }

  private static boolean flag(Register register, String key, String word) {
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      default -> throw RecordText.refused(register, key + "=true or false");
    };
  }

  JobRecord forgotten(String fresh) {
    return new JobRecord(generation, true, false, shape, created, fresh);
  }

  JobRecord kept(boolean kept, String fresh) {
    return new JobRecord(generation, forgotten, kept, shape, created, fresh);
  }

  String text() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("generation", generation);
    fields.put("forgotten", forgotten);
    fields.put("kept", kept);
    fields.put("shape", shape);
    fields.put("created", created);
    fields.put("nonce", nonce);
    return RecordText.write(KIND, FORMAT, fields);
  }
}
