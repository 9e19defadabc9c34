package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExpiryReportTest {

  private boolean over;
  private int reports;
  private final ExpiryReport expiry = new ExpiryReport(() -> over, () -> reports++);

  @Test
  void endOfAWindowIsReportedOnce() {
    expiry.reportIfOver();
    assertThat(reports).isZero();
    over = true;
    expiry.reportIfOver();
    expiry.reportIfOver();
    expiry.report(expiry.window());
    assertThat(reports).isOne();
  }

  @Test
  void endOfAWindowIsNotReportedAfterTheNextOneBegan() {
    long ended = expiry.window();
    assertThat(expiry.extend()).isTrue();
    expiry.report(ended);
    ended = expiry.window();
    expiry.begin();
    expiry.report(ended);
    assertThat(reports).isZero();
  }

  @Test
  void renewalThatComesTooLateIsNoSecondExpiry() {
    over = true;
    expiry.reportIfOver();
    assertThat(expiry.extend()).isFalse();
    expiry.report(expiry.window());
    assertThat(reports).isOne();

    over = false;
    assertThat(expiry.extend()).isTrue();
    expiry.report(expiry.window());
    assertThat(reports).isEqualTo(2);
  }

  @Test
  void windowOfAnotherAcquisitionThatIsOverIsReported() {
    over = true;
    expiry.reportIfOver();
    expiry.begin();
    expiry.reportIfOver();
    assertThat(reports).isEqualTo(2);
  }
}
