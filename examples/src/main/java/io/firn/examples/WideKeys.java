package io.firn.examples;

import io.firn.time.TimeSource;
import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import io.firn.wide.Uuids;
import io.firn.wide.WideIdGenerator;
import java.time.Instant;
import java.util.UUID;

/** Keys of more than 64 bits, which need no worker ID. */
public final class WideKeys {

  private WideKeys() {}

  /** Prints a few of them. */
  public static void main(String[] args) {
    // begin wide
    UUID order = Uuids.v7().nextId();
    UUID token = Uuids.v4().nextId();
    Ulid event = Ulid.generator().nextId();
    ObjectId document = ObjectId.generator().nextId();
    System.out.println(order + " " + token + " " + event + " " + document);
    // end

    // begin values
    Ulid ulid = Ulid.parse("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    UUID uuid = Uuids.parse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    Instant made = Uuids.instant(uuid).orElseThrow();
    System.out.println(ulid.instant() + " " + ulid.toUuid() + " " + made);
    // end

    // begin sparing
    WideIdGenerator<UUID> rows = Uuids.v7(TimeSource.system(), 16);
    System.out.println(rows.nextId().compareTo(rows.nextId()) < 0);
    // end
  }
}
