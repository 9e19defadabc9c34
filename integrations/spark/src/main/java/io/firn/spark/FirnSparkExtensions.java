package io.firn.spark;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import scala.Tuple3;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Gives a session the SQL function {@code firn_id('NAMESPACE')}: a new ID, of the type {@code
 * bigint}, whenever it is evaluated. Set {@code
 * spark.sql.extensions=io.firn.spark.FirnSparkExtensions} and {@code spark.firn.store}.
 *
 * <p>A query that shuffles rows by a fresh ID is refused: a task that is run again computes others,
 * and rows would be lost or doubled.
 */
public final class FirnSparkExtensions
    extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {

  static final String FUNCTION = "firn_id";

  /** Creates an instance for Spark, which then calls {@link #apply}. */
  public FirnSparkExtensions() {}

  /** Adds the function. */
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectFunction(
        new Tuple3<>(
            new FunctionIdentifier(FUNCTION),
            new ExpressionInfo(
                FreshId.class.getName(),
                "",
                FUNCTION,
                "_FUNC_(namespace) - Returns an ID that is new whenever it is evaluated.",
                "\n    Arguments:\n      * namespace - a constant text\n",
                "",
                "",
                "misc_funcs",
                "",
                "",
                "java_udf"),
            FreshId::of));
    extensions.injectCheckRule(
        session ->
            plan -> {
              FreshKeys.check(plan);
              return BoxedUnit.UNIT;
            });
    extensions.injectColumnar(session -> new FreshProducts());
    return BoxedUnit.UNIT;
  }
}
