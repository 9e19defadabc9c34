package io.firn.text;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Converts IDs to numbers that reveal nothing without the key, and back. The numbers do not show
 * which IDs are neighbors, how many there are, or when and where they were issued. Immutable and
 * thread-safe.
 *
 * <p>It is a permutation of 0..2^63-1, so no two IDs become the same number and none gets longer.
 * Scrambled numbers have no order, and as keys they spread over an index. So keep the ID itself in
 * the database, and scramble it only for display.
 *
 * <p>This is obfuscation, not access control. A number that was seen once stays known. The key
 * reveals all IDs. A forged number cannot be distinguished from a genuine one, and may match an ID.
 * So always check the permissions of the caller.
 *
 * <h2>How it works</h2>
 *
 * The cipher is Speck64/128 (Beaulieu et al., 2013, <a
 * href="https://eprint.iacr.org/2013/404">eprint 2013/404</a>): 27 rounds over two words of 32
 * bits, a key of 128 bits. It permutes 64 bits; for 63 the cycle is walked: a result with the
 * highest bit set is encrypted again until it comes without, twice on average. That stays a
 * permutation, because the walk from an ID leads back into the 63 bits on the ID's own cycle.
 *
 * <p>No attack on the full 27 rounds is known. With blocks of 64 bits the numbers of one key can be
 * distinguished from random ones after some 2^32 of them, because they never repeat.
 */
public final class Scramble {

  /** The length of a key, in bytes. */
  public static final int KEY_BYTES = 16;

  private static final int ROUNDS = 27;

  private final int[] roundKeys = new int[ROUNDS];

  private Scramble(byte[] key) {
    int[] words = new int[KEY_BYTES / Integer.BYTES];
    ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words);
    int left = 0;
    int right = words[0];
    for (int round = 0; round < ROUNDS; round++) {
      roundKeys[round] = right;
      int lane = 1 + round % 3;
      left = (Integer.rotateRight(words[lane], 8) + right) ^ round;
      right = Integer.rotateLeft(right, 3) ^ left;
      words[lane] = left;
    }
  }

  /**
   * Returns a scramble with that key, which must be kept: no other brings the IDs back.
   *
   * @param key {@link #KEY_BYTES} bytes, drawn at random
   * @throws IllegalArgumentException if it is of another length
   */
  public static Scramble withKey(byte[] key) {
    if (key.length != KEY_BYTES) {
      throw new IllegalArgumentException(
          "key: " + key.length + " bytes (expected: " + KEY_BYTES + ")");
    }
    return new Scramble(key);
  }

  /**
   * Returns the number that stands for an ID.
   *
   * @param id 0..2^63-1
   * @throws IllegalArgumentException if it is negative
   */
  public long scramble(long id) {
    refuseNegative("id", id);
    long scrambled = id;
    do {
      scrambled = encrypt(scrambled);
    } while (scrambled < 0);
    return scrambled;
  }

  /**
   * Returns the ID that a number stands for.
   *
   * @param scrambled 0..2^63-1
   * @throws IllegalArgumentException if it is negative
   */
  public long restore(long scrambled) {
    refuseNegative("scrambled", scrambled);
    long id = scrambled;
    do {
      id = decrypt(id);
    } while (id < 0);
    return id;
  }

  private static void refuseNegative(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: 0.." + Long.MAX_VALUE + ")");
    }
  }

  long encrypt(long block) {
    int left = (int) (block >>> 32);
    int right = (int) block;
    for (int key : roundKeys) {
      left = (Integer.rotateRight(left, 8) + right) ^ key;
      right = Integer.rotateLeft(right, 3) ^ left;
    }
    return join(left, right);
  }

  long decrypt(long block) {
    int left = (int) (block >>> 32);
    int right = (int) block;
    for (int round = ROUNDS - 1; round >= 0; round--) {
      right = Integer.rotateRight(right ^ left, 3);
      left = Integer.rotateLeft((left ^ roundKeys[round]) - right, 8);
    }
    return join(left, right);
  }

  private static long join(int left, int right) {
    return (long) left << 32 | Integer.toUnsignedLong(right);
  }

  /** Says nothing of the key. */
  @Override
  public String toString() {
    return "Scramble[Speck64/128]";
  }
}
