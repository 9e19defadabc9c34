package io.firn.spring;

import io.firn.IdGenerator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.UnsatisfiedDependencyException;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;

/** Shows how to name a namespace whose generator is injected and is not there. */
@Order(Ordered.HIGHEST_PRECEDENCE) // before Boot's own, which does not know of namespaces
final class MissingGeneratorAnalyzer
    extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable rootFailure, NoSuchBeanDefinitionException missing) {
    ResolvableType type = missing.getResolvableType();
    UnsatisfiedDependencyException dependency =
        findCause(rootFailure, UnsatisfiedDependencyException.class);
    if (type == null
        || type.resolve() != IdGenerator.class
        || missing instanceof NoUniqueBeanDefinitionException
        || dependency == null) {
      return null;
    }
    String namespace = qualifier(dependency);
    return namespace == null
        ? null
        : new FailureAnalysis(
            "namespace " + namespace + ": not set (expected: a key of firn.namespaces)",
            "Name the namespace; the default settings need no more:\n\n    firn.namespaces: "
                + namespace
                + "\n\nor set what it needs:\n\n    firn:\n      namespaces:\n        "
                + (namespace.contains(".") ? "\"[" + namespace + "]\"" : namespace)
                + ":\n          layout: classic",
            missing);
  }

  private @Nullable String qualifier(UnsatisfiedDependencyException dependency) {
    Throwable cause = dependency.getCause(); // the innermost has the injection point that fails
    UnsatisfiedDependencyException inner =
        cause == null ? null : findCause(cause, UnsatisfiedDependencyException.class);
    if (inner != null) {
      return qualifier(inner);
    }
    InjectionPoint point = dependency.getInjectionPoint();
    Qualifier named = point == null ? null : point.getAnnotation(Qualifier.class);
    return named == null ? null : named.value();
  }
}
