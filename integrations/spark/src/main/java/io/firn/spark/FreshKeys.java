package io.firn.spark;

import static io.firn.spark.ShuffleKeys.list;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.AppendColumns;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationDef;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationRef;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import scala.collection.Iterable;

/**
 * Refuses queries whose rows would be lost or doubled because a fresh ID is computed again.
 *
 * <p>When the output of a task of a shuffle is lost, Spark runs the task again, and those who read
 * it before keep what they read. That is right as long as a row goes to the same reader both times.
 * A row that is sent by its fresh ID, or by its place among rows that have one, goes to another.
 *
 * <p>A query that has the same fresh column twice, as a union of a dataset with itself, computes it
 * twice, or once if Spark finds that it can; so its rows would have one ID or two.
 */
final class FreshKeys {

  static final String REMEDY =
      "Write the rows to a table and read them from there, or use stable IDs.";

  private final Set<Object> fresh = new HashSet<>();
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Map<Long, LogicalPlan> definitions = new HashMap<>();
  private final Set<Long> referred = new HashSet<>();

  private FreshKeys() {}

  /**
   * Checks an analyzed plan.
   *
   * @throws IllegalArgumentException if it is refused
   */
  static void check(LogicalPlan plan) {
    new FreshKeys().visit(plan);
  }

  private void visit(LogicalPlan plan) {
    list(plan.children()).forEach(this::visit);
    list(plan.subqueries()).forEach(this::visit);
    if (plan instanceof CTERelationDef definition) {
      definitions.put(definition.id(), definition);
    } else if (plan instanceof CTERelationRef reference) {
      visitReference(reference);
    }
    list(plan.expressions()).forEach(this::noteCalls);
    if (!fresh.isEmpty() || !seen.isEmpty()) {
      refuse(plan.nodeName(), ShuffleKeys.of(plan));
      refuse("Subquery", ShuffleKeys.ofSubqueries(plan));
      noteOutput(plan);
    }
  }

  private void visitReference(CTERelationRef reference) {
    LogicalPlan definition = definitions.get(reference.cteId());
    if (definition == null) {
      return;
    }
    List<Attribute> from = list(definition.output());
    boolean isFresh = from.stream().anyMatch(this::isFresh);
    if (!referred.add(reference.cteId()) && isFresh) {
      throw twice();
    }
    alike(from, list(reference.output()));
  }

  private void noteCalls(Expression expression) {
    if (expression instanceof FreshId && !seen.add(expression)) {
      throw twice();
    }
    list(expression.children()).forEach(this::noteCalls);
  }

  private void refuse(String operator, List<Expression> keys) {
    if (keys.stream().anyMatch(this::isFresh)) {
      throw new IllegalArgumentException(
          operator
              + " by an ID of "
              + FirnSparkExtensions.FUNCTION
              + " is refused: a task that is run again gives the row another ID, and so rows would"
              + " be lost or doubled. "
              + REMEDY);
    }
  }

  private static IllegalArgumentException twice() {
    return new IllegalArgumentException(
        "The query has one column of "
            + FirnSparkExtensions.FUNCTION
            + " twice, and Spark may compute it once or twice. "
            + REMEDY);
  }

  /** Notes which columns depend on a fresh ID. */
  private void noteOutput(LogicalPlan plan) {
    list(plan.expressions()).forEach(this::noteAliases);
    if (plan instanceof Project || plan instanceof Aggregate || plan instanceof Window) {
      return;
    }
    List<Attribute> output = list(plan.output());
    for (LogicalPlan child : list(plan.children())) {
      List<Attribute> from = list(child.output());
      if (from.size() == output.size()) {
        alike(from, output); // a union or a view
      }
    }
    if (plan instanceof AppendColumns append) { // the key that a function computes of a row
      noteMade(append.newColumns(), isFresh(append.deserializer()));
    } else if (plan instanceof Generate generate) {
      noteMade(generate.generatorOutput(), isFresh((Expression) generate.generator()));
    } else if (plan instanceof Expand expand) {
      list(expand.projections()).forEach(projection -> alike(list(projection), output));
    } else {
      // Columns of functions on objects, as of map(), may come from any.
      noteMade(
          plan.producedAttributes().toSeq(),
          ShuffleKeys.row(plan).stream().anyMatch(this::isFresh));
    }
  }

  private void noteMade(Iterable<Attribute> columns, boolean isFresh) {
    if (isFresh) {
      list(columns).forEach(made -> fresh.add(made.exprId()));
    }
  }

  private void noteAliases(Expression expression) {
    if (expression instanceof Alias alias && isFresh(alias.child())) {
      fresh.add(alias.exprId());
    }
    list(expression.children()).forEach(this::noteAliases);
  }

  private void alike(List<? extends Expression> from, List<Attribute> to) {
    for (int i = 0; i < from.size(); i++) {
      if (isFresh(from.get(i))) {
        fresh.add(to.get(i).exprId());
      }
    }
  }

  private boolean isFresh(Expression expression) {
    return expression instanceof FreshId
        || (expression instanceof ScalarSubquery query
            && list(query.plan().output()).stream().anyMatch(this::isFresh))
        || (expression instanceof NamedExpression named && fresh.contains(named.exprId()))
        || list(expression.children()).stream().anyMatch(this::isFresh);
  }
}
