package io.firn.spark;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeBlock;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.expressions.codegen.FalseLiteral$;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;
import scala.Function1;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The expression {@code firn_id('orders')}. Each call has its own, so that Spark takes no two for
 * the same.
 *
 * <p>The code that Spark generates keeps its own {@link FreshIds}, as a field of the object that a
 * task has. Without generated code threads of the driver may share one expression: the IDs belong
 * to the thread that began them, and no other takes one of them.
 */
final class FreshId extends Expression implements Serializable {

  private static final long serialVersionUID = 1L;

  private final FreshIds ids;
  private transient @Nullable FreshIds evaluated;

  private FreshId(FreshIds ids) {
    this.ids = ids;
  }

  /**
   * Returns a dataset with one more column.
   *
   * @throws IllegalStateException if the session does not know the function
   */
  static Dataset<Row> stamp(Dataset<?> dataset, String column, String namespace) {
    SparkSession session = dataset.sparkSession();
    if (!session.catalog().functionExists(FirnSparkExtensions.FUNCTION)) {
      throw new IllegalStateException(
          "The session has no function "
              + FirnSparkExtensions.FUNCTION
              + "; set spark.sql.extensions="
              + FirnSparkExtensions.class.getName()
              + " before it starts.");
    }
    return dataset.withColumn(
        column, functions.call_function(FirnSparkExtensions.FUNCTION, functions.lit(namespace)));
  }

  /**
   * Returns the expression of a call.
   *
   * @throws IllegalArgumentException if the argument is not one constant text
   */
  static Expression of(Seq<Expression> arguments) {
    List<Expression> given = CollectionConverters.asJava(arguments);
    if (given.size() != 1
        || !given.get(0).foldable()
        || !given.get(0).dataType().equals(DataTypes.StringType)) {
      throw new IllegalArgumentException(
          FirnSparkExtensions.FUNCTION
              + ": "
              + given
              + " (expected: one constant text, the namespace, as in firn_id('orders'))");
    }
    String namespace = String.valueOf(given.get(0).eval(null));
    return new FreshId(
        new FreshIds(namespace, PageService.source(SparkSession.active(), namespace)));
  }

  @Override
  public Seq<Expression> children() {
    return seq(List.of());
  }

  @Override
  public Expression mapChildren(Function1<Expression, Expression> change) {
    return this;
  }

  @Override
  public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
    return this;
  }

  @Override
  public boolean deterministic() {
    return false;
  }

  @Override
  public boolean nullable() {
    return false;
  }

  @Override
  public DataType dataType() {
    return DataTypes.LongType;
  }

  @Override
  public Object eval(@Nullable InternalRow row) {
    FreshIds mine = evaluated;
    if (mine == null || !mine.isOfThisThread()) {
      mine = ids.begin();
      evaluated = mine;
    }
    return mine.next();
  }

  @Override
  public ExprCode doGenCode(CodegenContext context, ExprCode code) {
    String type = FreshIds.class.getName();
    String unused = context.addReferenceObj("firnIds", ids, type);
    String field =
        context.addMutableState(
            type, "firnIds", name -> name + " = " + unused + ".begin();", true, true);
    String line = "final long " + code.value() + " = " + field + ".next();\n";
    return ExprCode.apply(
        new CodeBlock(seq(List.of(line)), seq(List.of())), FalseLiteral$.MODULE$, code.value());
  }

  private static <T> Seq<T> seq(List<T> list) {
    return CollectionConverters.asScala(list).toSeq();
  }

  @Override
  public int productArity() {
    return 1;
  }

  @Override
  public Object productElement(int index) {
    return ids.namespace();
  }

  @Override
  public boolean canEqual(Object other) {
    return other == this;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other == this;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }

  @Override
  public String prettyName() {
    return FirnSparkExtensions.FUNCTION;
  }

  /** Returns the call, which is the name of a column that has no other. */
  @Override
  public String sql() {
    return toString();
  }

  /** Returns the call, as Spark shows it. */
  @Override
  public String toString() {
    return FirnSparkExtensions.FUNCTION + "('" + ids.namespace() + "')";
  }
}
