package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.block.BlockName;
import io.firn.block.IdBlock;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NamedBlocksOfTwoLayoutsTest extends ChangingNamespace {

  private static BlockName page(int page) {
    return new BlockName("load", "4:9f2c51", 0, page);
  }

  /** Pages of one partition share a register, whichever layout they have. */
  @Test
  void pagesThatAreNamedBeforeAndAfterAChangeOfLayoutKeepTheirIds() {
    IdBlock before = blocks(OLD).named(page(0), 100);
    change();
    passUntil(AT);

    IdBlock after = blocks(NEW).named(page(1), 100);
    assertThat(after.layout()).isEqualTo(NEW);
    assertThat(blocks(NEW).named(page(0), 100)).isEqualTo(before);
    assertThat(blocks(NEW).named(page(1), 100)).isEqualTo(after);
    Set<Long> ids = new HashSet<>();
    before.forEach(ids::add);
    after.forEach(ids::add);
    assertThat(ids).hasSize(200).allSatisfy(ChangingNamespace::checkTimes);
    assertThat(blocks(NEW).jobs())
        .singleElement()
        .satisfies(job -> assertThat(job.ids()).isEqualTo(200));
  }
}
