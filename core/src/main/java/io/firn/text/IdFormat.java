package io.firn.text;

import io.firn.internal.Alphabet;
import io.firn.internal.AsciiCase;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A text form of 64-bit IDs, which are taken as unsigned. All forms but {@link #DECIMAL} have a
 * fixed width. All but {@link #DECIMAL}, {@link #BASE58} and {@link #BASE64URL} sort like the
 * numbers, byte by byte. Thread-safe.
 *
 * <p>Each ID has one text in each form, and {@link #parse} reads no other, except that upper and
 * lower case are equal in forms with letters of one case only.
 */
public enum IdFormat {
  /** The number itself, without leading zeros: 1 to 20 digits. */
  DECIMAL(20, Digits.DECIMAL),
  /** 16 hexadecimal digits in lower case; upper case is read too. */
  HEX(16, Alphabet.HEX),
  /** 64 binary digits. */
  BINARY(64, Digits.BINARY),
  /** 11 digits and letters, upper case before lower case. */
  BASE62(11, Digits.BASE62),
  /**
   * 11 digits and letters without 0, I, O and l, lower case before upper case, as Flickr's and
   * bwmarrin's. Their alphabet is not in the order of the characters, so the texts do not sort like
   * the numbers; and they leave out leading ones.
   */
  BASE58(11, Digits.BASE58),
  /** 13 digits and letters in lower case; upper case is read too. */
  BASE36(13, Digits.BASE36),
  /**
   * 13 characters of <a href="https://www.crockford.com/base32.html">Crockford's base 32</a>. Lower
   * case is read too, and so are O as 0, I and L as 1.
   */
  BASE32(13, Alphabet.BASE32),
  /**
   * 11 characters of the URL-safe base 64 without padding, <a
   * href="https://www.rfc-editor.org/rfc/rfc4648#section-5">RFC 4648, section 5</a>, of the ID's
   * eight bytes, the highest first. Does not sort like the numbers.
   */
  BASE64URL(11, Digits.BASE64URL);

  /** The bits of the last character of {@link #BASE64URL} that are no bits of the ID. */
  private static final int PADDING_BITS = 2;

  /** The first digit of {@link #BASE32} has one bit too many. */
  private static final int LARGEST_FIRST_DIGIT = 15;

  private final int width;

  @SuppressWarnings("ImmutableEnumChecker") // its tables are never changed
  private final Alphabet alphabet;

  IdFormat(int width, Alphabet alphabet) {
    this.width = width;
    this.alphabet = alphabet;
  }

  /**
   * Reads a {@link #label}, in any case.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  public static IdFormat of(String label) {
    for (IdFormat format : values()) {
      if (format.label().equals(AsciiCase.lower(label))) {
        return format;
      }
    }
    String labels = Arrays.stream(values()).map(IdFormat::label).collect(Collectors.joining(", "));
    throw new IllegalArgumentException("format: " + label + " (expected: " + labels + ")");
  }

  /** Returns the name of the form in errors and on the screen: {@code base62}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the longest text of this form, in characters. */
  public int maxLength() {
    return width;
  }

  /** Returns how many different characters there are. */
  public int base() {
    return alphabet.base();
  }

  /**
   * Returns the character for a value.
   *
   * @param value 0..{@link #base}-1
   */
  public char digit(int value) {
    return alphabet.digit(value);
  }

  /** Returns the value of a character, -1 if this form does not have it. */
  public int value(char digit) {
    return alphabet.value(digit);
  }

  /** Returns the text of an ID. */
  public String format(long id) {
    return switch (this) {
      case DECIMAL -> Long.toUnsignedString(id);
      case HEX -> HexFormat.of().toHexDigits(id);
      case BASE62 -> Radix.BASE62.text(id);
      case BASE58 -> Radix.BASE58.text(id);
      case BASE36 -> Radix.BASE36.text(id);
      case BASE32 -> Digits.base32(id);
      case BINARY -> format(id, new byte[64]);
      case BASE64URL -> format(id, new byte[11]);
    };
  }

  private String format(long id, byte[] text) {
    write(id, text, 0);
    return Ascii.text(text);
  }

  /**
   * Writes the text of an ID as ASCII. Allocates nothing.
   *
   * @param offset where in {@code target} to begin
   * @return the number of bytes written, at most {@link #maxLength}
   * @throws IndexOutOfBoundsException if the text does not fit; part of it may then be written
   */
  public int write(long id, byte[] target, int offset) {
    switch (this) {
      case DECIMAL -> {
        return Digits.decimal(id, target, offset);
      }
      case HEX -> Digits.shift(id, 4, 16, Alphabet.HEX, target, offset);
      case BINARY -> Digits.shift(id, 1, 64, Digits.BINARY, target, offset);
      case BASE62 -> Radix.BASE62.write(id, target, offset);
      case BASE58 -> Radix.BASE58.write(id, target, offset);
      case BASE36 -> Radix.BASE36.write(id, target, offset);
      case BASE32 -> Digits.base32(id, target, offset);
      case BASE64URL -> {
        Digits.shift(id >>> (6 - PADDING_BITS), 6, 10, Digits.BASE64URL, target, offset);
        target[offset + 10] = (byte) lastOfBase64(id);
      }
    }
    return width;
  }

  /** Appends the text of an ID. Allocates nothing beyond what the builder may need to grow. */
  public void append(long id, StringBuilder target) {
    switch (this) {
      case DECIMAL -> Digits.appendDecimal(id, target);
      case HEX -> Digits.appendShifted(id, 4, 16, Alphabet.HEX, target);
      case BINARY -> Digits.appendShifted(id, 1, 64, Digits.BINARY, target);
      case BASE62 -> Radix.BASE62.append(id, target);
      case BASE58 -> Radix.BASE58.append(id, target);
      case BASE36 -> Radix.BASE36.append(id, target);
      case BASE32 -> Digits.appendBase32(id, target);
      case BASE64URL -> {
        Digits.appendShifted(id >>> (6 - PADDING_BITS), 6, 10, Digits.BASE64URL, target);
        target.append(lastOfBase64(id));
      }
    }
  }

  private static char lastOfBase64(long id) {
    return Digits.BASE64URL.digit((int) (id << PADDING_BITS) & 63);
  }

  /**
   * Reads an ID back.
   *
   * @throws IllegalArgumentException if the text is not exactly of this form: wrong length, a
   *     character outside the alphabet (with its position, from 1), a leading zero in a decimal,
   *     bits behind the last byte in base 64, or more than 64 bits
   */
  public long parse(CharSequence text) {
    int length = text.length();
    boolean fits = this == DECIMAL ? length >= 1 && length <= width : length == width;
    if (!fits) {
      throw refused(text, (this == DECIMAL ? "1.." : "") + width + " characters");
    }
    if (this == DECIMAL && length > 1 && text.charAt(0) == '0') {
      throw refused(text, "no leading zero");
    }
    return switch (this) {
      case BASE62 -> Radix.BASE62.parse(text, this);
      case BASE58 -> Radix.BASE58.parse(text, this);
      case BASE36 -> Radix.BASE36.parse(text, this);
      case BASE32 -> parseBase32(text);
      case BASE64URL -> parsePadded(text);
      case DECIMAL, HEX, BINARY -> parseEach(text);
    };
  }

  /** Reads what {@link #parseEach} does, with an alphabet that is a constant for the compiler. */
  private long parseBase32(CharSequence text) {
    int first = Alphabet.BASE32.value(text.charAt(0));
    int high = 0;
    int low = 0;
    int all = first;
    for (int i = 1; i < 7; i++) {
      int value = Alphabet.BASE32.value(text.charAt(i));
      all |= value;
      high = high << 5 | value;
    }
    for (int i = 7; i < 13; i++) {
      int value = Alphabet.BASE32.value(text.charAt(i));
      all |= value;
      low = low << 5 | value;
    }
    return all < 0 || first > LARGEST_FIRST_DIGIT
        ? parseEach(text)
        : (long) first << 60 | (long) high << 30 | low;
  }

  /**
   * Reads a text of the right length, digit by digit, and refuses the first that is none. Only the
   * last digit of the greatest length can be one too many for 64 bits.
   */
  long parseEach(CharSequence text) {
    int last = text.length() - 1;
    long above = parseFirst(text, last);
    int value = valueAt(text, last);
    long id = above * base() + value;
    if (Long.compareUnsigned(above, Long.divideUnsigned(-1L, base())) > 0
        || Long.compareUnsigned(id, value) < 0) {
      throw refused(text, "at most " + format(-1L) + ", 64 bits");
    }
    return id;
  }

  private long parseFirst(CharSequence text, int count) {
    long number = 0;
    for (int i = 0; i < count; i++) {
      number = number * base() + valueAt(text, i);
    }
    return number;
  }

  private long parsePadded(CharSequence text) {
    int last = width - 1;
    long high = parseFirst(text, last);
    int value = valueAt(text, last);
    if ((value & ((1 << PADDING_BITS) - 1)) != 0) {
      throw refused(text, "one of AEIMQUYcgkosw048 at position " + width);
    }
    return high << (6 - PADDING_BITS) | value >>> PADDING_BITS;
  }

  private int valueAt(CharSequence text, int index) {
    int value = value(text.charAt(index));
    if (value < 0) {
      throw refused(text, "a digit of base " + base() + " at position " + (index + 1));
    }
    return value;
  }

  private IllegalArgumentException refused(CharSequence text, String expected) {
    return new IllegalArgumentException(label() + ": " + text + " (expected: " + expected + ")");
  }
}
