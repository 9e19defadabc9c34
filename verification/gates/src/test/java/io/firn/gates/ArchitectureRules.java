package io.firn.gates;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** The shape of the code, as rules. */
final class ArchitectureRules {
  /** So much of core's types, in percent, must stay hidden from its users. */
  static final int HIDDEN_PERCENT = 50;

  private static final String FACE = "io.firn";

  /** What core's packages share, and its module hides. */
  private static final String NOT_EXPORTED = "io.firn.internal";

  private static final Set<String> SAY_NOTHING =
      Set.of("impl", "util", "utils", "common", "manager", "helper");
  private static final Pattern PUBLIC_SAY_NOTHING =
      Pattern.compile("Default.+|Abstract.+|.+(Impl|Manager|Helper|Utils?)");
  private static final Pattern GETTER = Pattern.compile("get([A-Z].*)?");

  private ArchitectureRules() {}

  static ArchRule dependsOnJavaAndItself(JavaClasses core) {
    return classes()
        .should()
        .onlyDependOnClassesThat(
            describe(
                "are part of the module java.base, of core or of jspecify",
                target -> {
                  JavaClass type = target.getBaseComponentType();
                  return type.isPrimitive()
                      || type.getPackageName().startsWith("java.")
                      || type.getPackageName().startsWith("javax.crypto")
                      || type.getPackageName().startsWith("org.jspecify.")
                      || core.contain(type.getName());
                }))
        .as("core depends on java.base, on itself and on jspecify only");
  }

  static ArchRule namesSaySomething() {
    return rule(
        "names say something",
        type -> {
          String name = type.getSimpleName();
          if (Arrays.stream(type.getPackageName().split("\\.")).anyMatch(SAY_NOTHING::contains)
              || SAY_NOTHING.contains(name.toLowerCase(Locale.ROOT))) {
            return Stream.of("is named like " + SAY_NOTHING);
          }
          return isVisible(type) && PUBLIC_SAY_NOTHING.matcher(name).matches()
              ? Stream.of("is public and named like " + PUBLIC_SAY_NOTHING)
              : Stream.of();
        });
  }

  static ArchRule accessorsHaveNoGet() {
    return rule(
        "accessors of the public API have no get",
        type ->
            isVisible(type)
                ? type.getMethods().stream()
                    .filter(ArchitectureRules::isVisible)
                    .filter(method -> GETTER.matcher(method.getName()).matches())
                    .filter(method -> !overridesForeignType(method))
                    .map(method -> "has " + method.getName() + "()")
                : Stream.of());
  }

  static ArchRule packagesAreNullMarked() {
    return rule(
        "packages are @NullMarked",
        type ->
            type.getPackage()
                    .tryGetPackageInfo()
                    .filter(info -> info.isAnnotatedWith(NullMarked.class))
                    .isPresent()
                ? Stream.of()
                : Stream.of("has no package-info with @NullMarked"));
  }

  /** Of the packages below the face: that one names the others, and they its exceptions. */
  static ArchRule packagesHaveNoCycles() {
    return slices()
        .assignedFrom(
            new SliceAssignment() {
              @Override
              public SliceIdentifier getIdentifierOf(JavaClass type) {
                return type.getPackageName().equals(FACE)
                    ? SliceIdentifier.ignore()
                    : SliceIdentifier.of(type.getPackageName());
              }

              @Override
              public String getDescription() {
                return "packages";
              }
            })
        .should()
        .beFreeOfCycles();
  }

  static ArchRule classNamesAreUnique(JavaClasses all) {
    Map<String, String> first = new HashMap<>();
    all.stream()
        .filter(JavaClass::isTopLevelClass)
        .map(JavaClass::getName)
        .sorted()
        .forEach(name -> first.putIfAbsent(simpleName(name), name));
    return rule(
        "class names are unique",
        type -> {
          String owner = first.getOrDefault(simpleName(type.getName()), type.getName());
          return type.isTopLevelClass() && !owner.equals(type.getName())
              ? Stream.of("has the simple name of " + owner)
              : Stream.of();
        });
  }

  /**
   * How many in a hundred of the classes that do something a user cannot name. The vocabulary
   * (interfaces, records, enums, exceptions) stands in signatures and is public by nature.
   */
  static int hiddenPercent(JavaClasses classes) {
    long visible = named(classes).filter(ArchitectureRules::isVisible).count();
    long all = named(classes).count();
    return (int) (100 * (all - visible) / all);
  }

  private static Stream<JavaClass> named(JavaClasses classes) {
    return classes.stream()
        .filter(type -> type.isTopLevelClass() || type.isMemberClass())
        .filter(type -> !type.isInterface() && !type.isRecord() && !type.isEnum())
        .filter(type -> !type.isAssignableTo(Throwable.class))
        .filter(type -> !type.getSimpleName().endsWith("-info"));
  }

  private static boolean isVisible(JavaClass type) {
    return !type.getPackageName().equals(NOT_EXPORTED)
        && isVisible(type.getModifiers())
        && type.getEnclosingClass().map(ArchitectureRules::isVisible).orElse(true);
  }

  private static boolean isVisible(JavaMethod method) {
    return isVisible(method.getModifiers());
  }

  private static boolean isVisible(Collection<JavaModifier> modifiers) {
    return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
  }

  private static boolean overridesForeignType(JavaMethod method) {
    JavaClass owner = method.getOwner();
    String[] parameters =
        method.getRawParameterTypes().stream().map(JavaClass::getName).toArray(String[]::new);
    return Stream.concat(
            owner.getAllRawSuperclasses().stream(), owner.getAllRawInterfaces().stream())
        .filter(parent -> !parent.getPackageName().startsWith("io.firn"))
        .map(parent -> parent.tryGetMethod(method.getName(), parameters))
        .anyMatch(Optional::isPresent);
  }

  private static String simpleName(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static ArchRule rule(String text, Function<JavaClass, Stream<String>> violations) {
    return classes()
        .that(describe("are written by hand", type -> !type.getSimpleName().endsWith("-info")))
        .should(
            new ArchCondition<>(text) {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                violations
                    .apply(type)
                    .map(violation -> type.getName() + " " + violation)
                    .map(message -> SimpleConditionEvent.violated(type, message))
                    .forEach(events::add);
              }
            })
        .as(text);
  }
}
