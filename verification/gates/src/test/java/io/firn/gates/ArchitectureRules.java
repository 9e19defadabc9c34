package io.firn.gates;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
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
import java.util.HashSet;
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
  /** The percentage of core's types that must stay hidden from its users. */
  static final int HIDDEN_PERCENT = 50;

  private static final String ROOT_EXCEPTION = "io.firn.FirnException";
  private static final Set<String> PAIR = Set.of("io.firn", "io.firn.lease");

  /** Packages of core that its module exports to nobody, or to Firn's own modules only. */
  private static final Set<String> NOT_EXPORTED = Checkout.hiddenPackages("core");

  /** Types of settings that a builder can check without its other settings. */
  private static final Set<String> TO_CHECK =
      Set.of("int", "long", "java.lang.String", "java.time.Duration", "java.time.Instant");

  private static final Pattern FOR_STORES = Pattern.compile(".+\\.store");
  private static final Pattern FOR_SEGMENTS =
      Pattern.compile("io\\.firn|.+\\.(store|segment|time)");

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

  /** Returns whether a method is named get, unless it takes an index or a key as in a list. */
  private static boolean isGetter(JavaMethod method) {
    return GETTER.matcher(method.getName()).matches()
        && (method.getName().length() > 3 || method.getRawParameterTypes().isEmpty());
  }

  static ArchRule accessorsHaveNoGet() {
    return rule(
        "accessors of the public API have no get",
        type ->
            isVisible(type)
                ? type.getMethods().stream()
                    .filter(ArchitectureRules::isVisible)
                    .filter(ArchitectureRules::isGetter)
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

  /**
   * One pair knows each other: a {@code Snowflake} leases its worker ID, and a lease names the
   * layout and the exceptions of {@code io.firn}. The pair counts as one slice. The root of all
   * exceptions counts as a slice of its own: it depends on nothing.
   */
  static ArchRule packagesHaveNoCycles() {
    return slices()
        .assignedFrom(
            new SliceAssignment() {
              @Override
              public SliceIdentifier getIdentifierOf(JavaClass type) {
                if (type.getName().equals(ROOT_EXCEPTION)) {
                  return SliceIdentifier.of(ROOT_EXCEPTION);
                }
                String name = type.getPackageName();
                return SliceIdentifier.of(PAIR.contains(name) ? "io.firn and io.firn.lease" : name);
              }

              @Override
              public String getDescription() {
                return "packages";
              }
            })
        .should()
        .beFreeOfCycles();
  }

  static ArchRule leasesDoNotKnowSegments() {
    return noClasses()
        .that()
        .resideInAPackage("..lease..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("..segment..")
        .as("lease does not know segment");
  }

  /**
   * The author of a store needs one package of core. Types that serve the segments of a database
   * also use those of segments, the clock and the exceptions.
   */
  static ArchRule storesDependOnTheStorePackage() {
    return rule(
        "of core, a store depends on io.firn.store only",
        type -> {
          JavaClass outermost = outermost(type);
          Pattern allowed = isOfSegments(outermost) ? FOR_SEGMENTS : FOR_STORES;
          return type.getDirectDependenciesFromSelf().stream()
              .map(Dependency::getTargetClass)
              .map(JavaClass::getBaseComponentType)
              .filter(target -> target.getPackageName().startsWith("io.firn"))
              .filter(target -> !target.getPackageName().equals(outermost.getPackageName()))
              .filter(target -> !allowed.matcher(target.getPackageName()).matches())
              .map(JavaClass::getName)
              .distinct()
              .map(target -> "depends on " + target);
        });
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureRules::outermost).orElse(type);
  }

  private static boolean isOfSegments(JavaClass type) {
    return type.getDirectDependenciesFromSelf().stream()
        .map(dependency -> dependency.getTargetClass().getPackageName())
        .anyMatch(name -> name.endsWith(".segment"));
  }

  /**
   * Builders are nested, check each number, text and time in its setter, set each setting once, and
   * build once.
   */
  static ArchRule buildersBuildOnce() {
    return rule(
        "builders are nested, named Builder, check arguments, are set-once and build once",
        type -> {
          if (!isBuilder(type) || !isVisible(type)) {
            return Stream.of();
          }
          if (!type.getSimpleName().equals("Builder") || type.getEnclosingClass().isEmpty()) {
            return Stream.of("is a builder that is not nested as Builder");
          }
          return type.getMethods().stream()
              .filter(ArchitectureRules::isVisible)
              .flatMap(
                  method ->
                      method.getRawReturnType().equals(type)
                          ? Stream.concat(missing(method, "once"), unchecked(method))
                          : missing(method, "buildOnce"));
        });
  }

  private static boolean isBuilder(JavaClass type) {
    return type.getSimpleName().endsWith("Builder")
        || (type.tryGetMethod("build").isPresent()
            && type.getMethods().stream()
                .anyMatch(method -> method.getRawReturnType().equals(type)));
  }

  private static Stream<String> unchecked(JavaMethod setter) {
    return setter.getRawParameterTypes().stream()
                .noneMatch(parameter -> TO_CHECK.contains(parameter.getName()))
            || refuses(setter, new HashSet<>())
        ? Stream.of()
        : Stream.of("has " + setter.getName() + "(), which does not check its argument");
  }

  /** Returns whether a method throws for an argument, by itself or through methods of Firn. */
  private static boolean refuses(JavaCodeUnit method, Set<JavaCodeUnit> seen) {
    return seen.add(method)
        && (method.getConstructorCallsFromSelf().stream()
                .anyMatch(
                    call -> call.getTargetOwner().isEquivalentTo(IllegalArgumentException.class))
            || method.getMethodCallsFromSelf().stream()
                .filter(call -> !call.getTarget().getName().equals("once"))
                .flatMap(call -> call.getTarget().resolveMember().stream())
                .anyMatch(target -> refuses(target, seen)));
  }

  private static Stream<String> missing(JavaMethod method, String check) {
    return calls(method, check, new HashSet<>())
        ? Stream.of()
        : Stream.of("has " + method.getName() + "(), which does not call " + check);
  }

  /** Returns whether a method calls that check, by itself or through methods of its own class. */
  private static boolean calls(JavaMethod method, String check, Set<JavaMethod> seen) {
    return seen.add(method)
        && method.getMethodCallsFromSelf().stream()
            .anyMatch(
                call ->
                    call.getTarget().getName().equals(check)
                        || call.getTarget()
                            .resolveMember()
                            .filter(target -> target.getOwner().equals(method.getOwner()))
                            .filter(target -> calls(target, check, seen))
                            .isPresent());
  }

  /** Annotations may share a name: {@code @FirnId} means the same in every framework's package. */
  static ArchRule classNamesAreUnique(JavaClasses all) {
    Map<String, String> first = new HashMap<>();
    all.stream()
        .filter(JavaClass::isTopLevelClass)
        .filter(type -> !type.isAnnotation())
        .map(JavaClass::getName)
        .sorted()
        .forEach(name -> first.putIfAbsent(simpleName(name), name));
    return rule(
        "class names are unique",
        type -> {
          String owner = first.getOrDefault(simpleName(type.getName()), type.getName());
          return type.isTopLevelClass() && !type.isAnnotation() && !owner.equals(type.getName())
              ? Stream.of("has the simple name of " + owner)
              : Stream.of();
        });
  }

  /** Returns the percentage of all named types that a user cannot name. */
  static int hiddenPercent(JavaClasses classes) {
    long visible = named(classes).filter(ArchitectureRules::isVisible).count();
    long all = named(classes).count();
    return (int) (100 * (all - visible) / all);
  }

  private static Stream<JavaClass> named(JavaClasses classes) {
    return classes.stream()
        .filter(type -> type.isTopLevelClass() || type.isMemberClass())
        .filter(type -> !type.getSimpleName().endsWith("-info"));
  }

  private static boolean isVisible(JavaClass type) {
    return !NOT_EXPORTED.contains(type.getPackageName())
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
