package io.firn.spark;

import java.io.Serializable;
import org.apache.spark.SparkContext;
import org.apache.spark.util.LongAccumulator;

/**
 * The numbers that were reserved for a namespace, as accumulators of Spark, which its UI shows with
 * each stage.
 *
 * @param ids how many IDs were given to tasks
 * @param pages how many pages they came in
 * @param blocks how many blocks were reserved
 * @param writes how many writes the store got for them
 */
record Tally(
    LongAccumulator ids, LongAccumulator pages, LongAccumulator blocks, LongAccumulator writes)
    implements Serializable {

  static Tally of(SparkContext context, String namespace) {
    String prefix = "firn." + namespace + ".";
    return new Tally(
        context.longAccumulator(prefix + "ids"),
        context.longAccumulator(prefix + "pages"),
        context.longAccumulator(prefix + "blocks"),
        context.longAccumulator(prefix + "store.writes"));
  }

  void add(ServedPage page) {
    ids.add(page.end() - page.from());
    pages.add(1);
    blocks.add(page.blocks());
    writes.add(page.writes());
  }
}
