package io.firn.lease;

import io.firn.internal.RecordText;
import io.firn.store.Register;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The value of the register that guards the commits of a holder; see {@link GuardProtocol}.
 *
 * @param open whether the holder may commit
 * @param token of the acquisition
 * @param nonce names the one write
 */
record GuardRecord(boolean open, String token, String nonce) {

  private static final String KIND = "firn-guard";
  private static final int FORMAT = 1;
  private static final String OPEN = "open";
  private static final String ENDED = "ended";

  static GuardRecord parse(Register register) {
    Map<String, String> fields = RecordText.read(register, KIND, FORMAT);
    String state = RecordText.required(register, fields, "state");
    if (!state.equals(OPEN) && !state.equals(ENDED)) {
      throw RecordText.refused(register, "state=open or state=ended");
    }
    return new GuardRecord(
        state.equals(OPEN),
        RecordText.required(register, fields, "token"),
        RecordText.required(register, fields, "nonce"));
  }

  String text() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("state", open ? OPEN : ENDED);
    fields.put("token", token);
    fields.put("nonce", nonce);
    return RecordText.write(KIND, FORMAT, fields);
  }
}
