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
 * @param shape the shape of the job
 * @param created when it began, for people
 * @param nonce names the one write
 */
record JobRecord(long generation, boolean forgotten, String shape, Instant created, String nonce) {

  private static final String KIND = "firn-job";
  private static final int FORMAT = 1;

  static JobRecord parse(Register register) {
    Map<String, String> fields = RecordText.read(register, KIND, FORMAT);
    try {
      return new JobRecord(
          Long.parseLong(RecordText.required(register, fields, "generation")),
          Boolean.parseBoolean(RecordText.required(register, fields, "forgotten")),
          RecordText.required(register, fields, "shape"),
          Instant.parse(RecordText.required(register, fields, "created")),
          RecordText.required(register, fields, "nonce"));
    } catch (DateTimeException | NumberFormatException e) {
      throw RecordText.refused(register, "generation a number and created an instant");
    }
  }

  JobRecord forgotten(String fresh) {
    return new JobRecord(generation, true, shape, created, fresh);
  }

  String text() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("generation", generation);
    fields.put("forgotten", forgotten);
    fields.put("shape", shape);
    fields.put("created", created);
    fields.put("nonce", nonce);
    return RecordText.write(KIND, FORMAT, fields);
  }
}
