package io.firn.examples;

import io.firn.text.IdFormat;
import io.firn.text.IdPrefix;
import io.firn.text.Scramble;
import io.firn.wide.Uuids;
import java.util.HexFormat;
import java.util.UUID;

/** IDs as text. */
public final class TextForms {

  private TextForms() {}

  /** Prints one ID in several forms. */
  public static void main(String[] args) {
    long id = 117610173326504099L;
    // begin forms
    String text = IdFormat.BASE32.format(id);
    StringBuilder path = new StringBuilder("/orders/");
    IdFormat.BASE62.append(id, path);
    System.out.println(text + " " + path + " " + IdFormat.BASE32.parse(text));
    // end

    // begin refused
    try {
      IdFormat.BASE58.parse("4jgmnx0Js8A");
    } catch (IllegalArgumentException e) {
      System.out.println(e.getMessage());
    }
    // end

    // begin prefix
    IdPrefix order = IdPrefix.of("order");
    String shown = order.add(Uuids.toBase32(Uuids.parse("01890a5d-ac96-774b-bcce-b302099a8057")));
    UUID uuid = Uuids.parseBase32(order.remove(shown));
    System.out.println(shown + " " + uuid);
    // end

    byte[] key = HexFormat.of().parseHex("0001020308090a0b1011121318191a1b");
    // begin scramble
    Scramble scramble = Scramble.withKey(key);
    for (long neighbor = id; neighbor < id + 3; neighbor++) {
      System.out.println(IdFormat.BASE58.format(scramble.scramble(neighbor)));
    }
    System.out.println(scramble.restore(scramble.scramble(id)));
    // end
  }
}
