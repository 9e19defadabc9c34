package io.firn.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InSubquery;
import org.apache.spark.sql.catalyst.expressions.OuterReference;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Deduplicate;
import org.apache.spark.sql.catalyst.plans.logical.DeduplicateWithinWatermark;
import org.apache.spark.sql.catalyst.plans.logical.Distinct;
import org.apache.spark.sql.catalyst.plans.logical.Except;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Intersect;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LateralJoin;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.RebalancePartitions;
import org.apache.spark.sql.catalyst.plans.logical.Repartition;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import org.apache.spark.sql.catalyst.plans.logical.Sample;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import scala.Option;
import scala.collection.Iterable;
import scala.jdk.javaapi.CollectionConverters;

/** The keys that decide which task gets a row. */
final class ShuffleKeys {

  /** Parts of operators that call a function for each group; each language has its own. */
  private static final Set<String> GROUPS =
      Set.of("groupingAttributes", "leftGroup", "rightGroup", "initialStateGroupAttrs");

  /** Parts that say how many columns of a child are keys, with the number of the child. */
  private static final Map<String, Integer> LENGTHS =
      Map.of(
          "leftGroupingLen", 0,
          "rightGroupingLen", 1,
          "groupingAttributesLen", 0,
          "initGroupingAttrsLen", 1);

  private ShuffleKeys() {}

  /** Returns by what an operator sends rows. */
  static List<Expression> of(LogicalPlan plan) {
    List<Expression> keys = new ArrayList<>(ofOperator(plan));
    for (int i = 0; i < plan.productArity(); i++) {
      String part = plan.productElementName(i);
      Object value = plan.productElement(i);
      if (GROUPS.contains(part)) {
        ((Iterable<?>) value).foreach(key -> keys.add((Expression) key));
      } else if (LENGTHS.containsKey(part)) {
        LogicalPlan child = plan.children().apply(LENGTHS.get(part));
        keys.addAll(list(child.output()).subList(0, (Integer) value));
      }
    }
    return keys;
  }

  /** Returns what subqueries compare with the rows around them: Spark makes joins of them. */
  static List<Expression> ofSubqueries(LogicalPlan plan) {
    List<Expression> keys = new ArrayList<>();
    list(plan.expressions()).forEach(expression -> addCompared(expression, keys));
    if (plan instanceof Filter filter) {
      addCorrelated(filter.condition(), keys);
    }
    return keys;
  }

  private static void addCompared(Expression expression, List<Expression> keys) {
    List<Expression> children = list(expression.children());
    if (expression instanceof InSubquery in) {
      keys.addAll(list(in.values()));
      keys.addAll(list(in.query().plan().output()));
    } else if (expression instanceof SubqueryExpression query && readsRows(query.plan())) {
      keys.addAll(children); // the columns around it
    }
    children.forEach(child -> addCompared(child, keys));
  }

  /** Returns whether a subquery is more than a computation, as that of a function of SQL. */
  private static boolean readsRows(LogicalPlan plan) {
    return !list(plan.collectLeaves()).stream().allMatch(OneRowRelation.class::isInstance);
  }

  private static void addCorrelated(Expression condition, List<Expression> keys) {
    if (condition instanceof And both) {
      addCorrelated(both.left(), keys);
      addCorrelated(both.right(), keys);
    } else if (refersOutside(condition)) {
      keys.add(condition);
    }
  }

  private static boolean refersOutside(Expression expression) {
    return expression instanceof OuterReference
        || list(expression.children()).stream().anyMatch(ShuffleKeys::refersOutside);
  }

  private static List<Expression> ofOperator(LogicalPlan plan) {
    if (plan instanceof Sort sort) {
      return sort.global() ? expressions(sort.order()) : List.of();
    } else if (plan instanceof Aggregate aggregate) {
      List<Expression> keys = expressions(aggregate.groupingExpressions());
      list(aggregate.aggregateExpressions()).forEach(each -> addDistinct((Expression) each, keys));
      return keys;
    } else if (plan instanceof Window window) {
      return expressions(window.partitionSpec());
    } else if (plan instanceof Join join) {
      return condition(join.condition());
    } else if (plan instanceof LateralJoin join) {
      return condition(join.condition());
    } else if (plan instanceof Deduplicate deduplicate) {
      return expressions(deduplicate.keys());
    } else if (plan instanceof DeduplicateWithinWatermark deduplicate) {
      return expressions(deduplicate.keys());
    } else if (plan instanceof RepartitionByExpression repartition) {
      return keysOrRow(repartition.partitionExpressions(), plan);
    } else if (plan instanceof RebalancePartitions rebalance) {
      return keysOrRow(rebalance.partitionExpressions(), plan);
    } else if (plan instanceof Sample sample && sample.child() instanceof Sort sort) {
      return expressions(sort.order()); // randomSplit() takes rows by their places after a sort
    } else if (plan instanceof Repartition repartition && !repartition.shuffle()) {
      return List.of();
    } else if (plan instanceof Repartition
        || plan instanceof Distinct
        || plan instanceof Intersect
        || plan instanceof Except) {
      return row(plan);
    }
    return List.of();
  }

  /** Adds what functions as {@code count(DISTINCT id)} compare: Spark groups the rows by it. */
  private static void addDistinct(Expression expression, List<Expression> keys) {
    if (expression instanceof AggregateExpression call && call.isDistinct()) {
      keys.addAll(list(call.aggregateFunction().children()));
    }
    list(expression.children()).forEach(child -> addDistinct(child, keys));
  }

  private static List<Expression> keysOrRow(Iterable<Expression> keys, LogicalPlan plan) {
    return keys.isEmpty() ? row(plan) : expressions(keys);
  }

  static List<Expression> row(LogicalPlan plan) {
    List<Expression> row = new ArrayList<>();
    list(plan.children()).forEach(child -> row.addAll(list(child.output())));
    return row;
  }

  private static List<Expression> condition(Option<Expression> condition) {
    return condition.isEmpty() ? List.of() : List.of(condition.get());
  }

  private static List<Expression> expressions(Iterable<? extends Expression> iterable) {
    List<Expression> all = new ArrayList<>();
    list(iterable).forEach(all::add);
    return all;
  }

  static <T> List<T> list(Iterable<T> iterable) {
    List<T> all = new ArrayList<>();
    CollectionConverters.asJava(iterable).forEach(all::add);
    return all;
  }
}
