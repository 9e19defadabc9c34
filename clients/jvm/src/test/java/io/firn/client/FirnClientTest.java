package io.firn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.GeneratorClosedException;
import io.firn.WaitInterruptedException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client without a server; {@code FirstPartyClientsTest} of the server has it with some. */
@Timeout(120)
final class FirnClientTest {

  private static final URI DOWN = URI.create("http://127.0.0.1:1");

  private static FirnClient.Builder builder() {
    return FirnClient.builder(List.of(DOWN), "orders");
  }

  @Test
  void refusesAddressesThatAreNotOfHttp() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FirnClient.builder(List.of(), "orders"))
        .withMessage("servers: none (expected: at least one address)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FirnClient.builder(List.of(URI.create("redis://a:1")), "orders"))
        .withMessage("servers: redis://a:1 (expected: http://HOST:PORT or https://HOST:PORT)");
  }

  @Test
  void anAddressThatIsGivenTwiceIsOneServer() {
    try (FirnClient client =
        FirnClient.builder(List.of(DOWN, DOWN), "orders").maxWait(Duration.ZERO).build()) {
      assertThatExceptionOfType(IdsUnavailableException.class)
          .isThrownBy(client::nextId)
          .satisfies(e -> assertThat(e.failures()).containsOnlyKeys(DOWN.toString()));
    }
  }

  @Test
  void refusesATokenThatNoHeaderTakesWithoutShowingIt() {
    for (String token : List.of("the-secret\n", "the secret", "the-sécret", "")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> builder().token(token))
          .withMessage("token: not shown (expected: visible ASCII characters)");
    }
    builder().token("the-secret").build().close();
  }

  @Test
  void refusesABlankNamespace() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FirnClient.builder(List.of(DOWN), " "))
        .withMessage("namespace: blank (expected: a name)");
  }

  @Test
  void refusesABatchBeyondItsRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().batch(0))
        .withMessage("batch: 0 (expected: 1..10000)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().batch(10_001))
        .withMessage("batch: 10001 (expected: 1..10000)");
    builder().batch(1);
    builder().batch(FirnClient.MAX_BATCH);
  }

  @Test
  void refusesAMaximumAgeThatABatchHasOnArrival() {
    Duration timeout = Duration.ofMillis(500);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().timeout(timeout).maxAge(Duration.ofMillis(999)).build())
        .withMessage("maxAge: PT0.999S (expected: at least twice the timeout, PT0.5S)");
    builder().timeout(timeout).maxAge(Duration.ofSeconds(1)).build().close();
  }

  @Test
  void namesTheFailureOfAServerThatIsDown() {
    try (FirnClient client = builder().maxWait(Duration.ofMillis(300)).build()) {
      assertThatExceptionOfType(IdsUnavailableException.class)
          .isThrownBy(client::nextId)
          .satisfies(e -> assertThat(e.failures()).containsOnlyKeys(DOWN.toString()))
          .withMessageContaining("Namespace orders has no ID after ")
          .withMessageContaining("http://127.0.0.1:1: ");
    }
  }

  @Test
  void anInterruptedCallEnds() {
    try (FirnClient client = builder().maxWait(Duration.ofHours(1)).build()) {
      Thread.currentThread().interrupt();
      assertThatExceptionOfType(WaitInterruptedException.class).isThrownBy(client::nextId);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void aClosedClientSaysSo() {
    FirnClient client = builder().build();
    client.close();
    assertThatExceptionOfType(GeneratorClosedException.class).isThrownBy(client::nextId);
    assertThat(client).hasToString("FirnClient[orders of http://127.0.0.1:1]");
  }
}
