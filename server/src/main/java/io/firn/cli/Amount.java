package io.firn.cli;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;

/** Numbers with separators: {@code 4,096,000}. */
final class Amount {

  private Amount() {}

  static String of(long value) {
    return separated().format(value);
  }

  /** With at most two decimals. */
  static String of(double value) {
    return separated().format(value);
  }

  private static DecimalFormat separated() {
    return new DecimalFormat("#,##0.##", DecimalFormatSymbols.getInstance(Locale.ROOT));
  }
}
