package io.firn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.firn.block.IdBlocks;
import io.firn.block.PlacedIds;
import io.firn.store.InMemoryRegisterStore;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class OffsetIdsTest {

  private static final Map<String, Object> CLIENT =
      Map.of("bootstrap.servers", "127.0.0.1:1", "ssl.key.password", "secret");

  private static OffsetIds.Builder builder() {
    return OffsetIds.builder(new InMemoryRegisterStore(), "orders");
  }

  @Test
  void everySettingIsSetOnce() {
    OffsetIds.Builder builder =
        builder().job("load").blockSize(100).generation("1").topicIds(CLIENT);
    refuses(() -> builder.job("other"), "job: other (expected: set once, it is load)");
    refuses(() -> builder.blockSize(101), "blockSize: 101 (expected: set once, it is 100)");
    refuses(() -> builder.generation("2"), "generation: 2 (expected: set once, it is 1)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.topicIds(CLIENT))
        .withMessageStartingWith("topicIds: [")
        .withMessageContaining("(expected: set once, it is [")
        .satisfies(e -> assertThat(e).hasMessageNotContaining("secret"));
  }

  @Test
  void settingsAreCheckedWhereTheyAreSet() {
    String longest = "j".repeat(PlacedIds.MAX_JOB);
    String characters = " of A-Z, a-z, 0-9, '.', '_' and '-')";
    assertThat(builder().job(longest).generation("g".repeat(32)).blockSize(1)).isNotNull();
    assertThat(builder().blockSize(IdBlocks.MAX_SIZE)).isNotNull();
    refuses(
        () -> builder().job(longest + "j"), "job: " + longest + "j (expected: 1..31" + characters);
    refuses(() -> builder().job("a:b"), "job: a:b (expected: 1..31" + characters);
    refuses(() -> builder().generation(""), "generation:  (expected: 1..32" + characters);
    refuses(() -> builder().blockSize(0), "blockSize: 0 (expected: 1..1099511627776)");
    refuses(
        () -> builder().blockSize(IdBlocks.MAX_SIZE + 1),
        "blockSize: 1099511627777 (expected: 1..1099511627776)");
  }

  @Test
  void identityOfTopicsIsNeededInOneWay() {
    String rule =
        " (expected: topicIds or generation, for a topic that is deleted and created again begins"
            + " with offset 0)";
    refuses(() -> builder().build(), "topic identity: none" + rule);
    refuses(
        () -> builder().topicIds(CLIENT).generation("1").build(), "topic identity: both" + rule);
  }

  @Test
  void builderBuildsOnce() {
    OffsetIds.Builder builder = builder().generation("1");
    try (OffsetIds ids = builder.build()) {
      assertThat(ids.idOf("orders", 0, 0)).isPositive();
      assertThatIllegalStateException()
          .isThrownBy(builder::build)
          .withMessage("The builder has built already; start another one");
    }
  }

  private static void refuses(ThrowingCallable call, String message) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
  }
}
