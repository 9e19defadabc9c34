package io.firn.cli;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;

/** Numbers with separators: {@code 4,096,000}. */
final class Amount {

  private Amount() {}

  static String of(double value) {
    return new DecimalFormat("#,##0.##", DecimalFormatSymbols.getInstance(Locale.ROOT))
        .format(value);
  }
}
