package io.firn.spark;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.exchange.Exchange;
import org.apache.spark.sql.execution.joins.CartesianProductExec;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Refuses a product of rows that get their fresh IDs in the same stage: Spark computes the rows of
 * one side again for each partition of the other, and a row would have several IDs in one result.
 */
final class FreshProducts extends ColumnarRule {

  @Override
  public Rule<SparkPlan> preColumnarTransitions() {
    return new Rule<>() {
      @Override
      public SparkPlan apply(SparkPlan plan) {
        check(plan);
        return plan;
      }
    };
  }

  private static void check(SparkPlan plan) {
    if (plan instanceof CartesianProductExec && computesIds(plan)) {
      throw new IllegalArgumentException(
          "The query has "
              + FirnSparkExtensions.FUNCTION
              + " in a join without an equality, for which Spark computes the rows again for each"
              + " part of the other side. Join by a key, or broadcast() one side. "
              + FreshKeys.REMEDY);
    }
    for (SparkPlan child : CollectionConverters.asJava(plan.children())) {
      check(child);
    }
  }

  private static boolean computesIds(SparkPlan plan) {
    if (plan instanceof Exchange) {
      return false; // computed once, and kept
    }
    for (Expression expression : CollectionConverters.asJava(plan.expressions())) {
      if (hasCall(expression)) {
        return true;
      }
    }
    for (SparkPlan child : CollectionConverters.asJava(plan.children())) {
      if (computesIds(child)) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasCall(Expression expression) {
    if (expression instanceof FreshId) {
      return true;
    }
    for (Expression child : CollectionConverters.asJava(expression.children())) {
      if (hasCall(child)) {
        return true;
      }
    }
    return false;
  }
}
