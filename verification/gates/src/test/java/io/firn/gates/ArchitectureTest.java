package io.firn.gates;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.firn.testkit.Sizes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Firn's published modules keep the {@link ArchitectureRules}. Those of the profile {@code engines}
 * are read in the deep build, which has them.
 */
class ArchitectureTest {
  private static JavaClasses core = classesOf(List.of());
  private static JavaClasses all = classesOf(List.of());

  @BeforeAll
  static void read() {
    List<String> modules = new ArrayList<>(Checkout.publishedModules());
    if (Sizes.isDeep()) {
      modules.addAll(Checkout.published(Checkout.modulesOf("engines")));
    }
    core = classesOf(List.of("core"));
    all = classesOf(modules);
    assertThat(modules).contains("core", "testkit", "server");
    assertThat(modules)
        .as("build it before this module: name it among the dependencies of verification/gates")
        .allSatisfy(module -> assertThat(classesOf(List.of(module))).isNotEmpty());
  }

  @Test
  void coreDependsOnJavaAndItself() {
    ArchitectureRules.dependsOnJavaAndItself(core).check(core);
  }

  @Test
  void namesSaySomething() {
    ArchitectureRules.namesSaySomething().check(all);
  }

  @Test
  void accessorsOfCoreHaveNoGet() {
    ArchitectureRules.accessorsHaveNoGet().check(core);
  }

  @Test
  void halfOfCoreIsHidden() {
    assertThat(ArchitectureRules.hiddenPercent(core))
        .as("percent of core's types that users cannot name")
        .isGreaterThanOrEqualTo(ArchitectureRules.HIDDEN_PERCENT);
  }

  @Test
  void packagesAreNullMarked() {
    ArchitectureRules.packagesAreNullMarked().check(all);
  }

  @Test
  void packagesHaveNoCycles() {
    ArchitectureRules.packagesHaveNoCycles().check(all);
  }

  @Test
  void leasesDoNotKnowSegments() {
    ArchitectureRules.leasesDoNotKnowSegments().check(all);
  }

  @Test
  void storesDependOnTheStorePackage() {
    JavaClasses backends =
        classesOf(
            Checkout.publishedModules().stream()
                .filter(module -> module.startsWith("backends/"))
                .toList());
    assertThat(backends).isNotEmpty();
    ArchitectureRules.storesDependOnTheStorePackage().check(backends);
  }

  @Test
  void buildersBuildOnce() {
    ArchitectureRules.buildersBuildOnce().check(all);
  }

  /** Without the engines: no program has two of them. */
  @Test
  void classNamesAreUnique() {
    JavaClasses together = classesOf(Checkout.publishedModules());
    ArchitectureRules.classNamesAreUnique(together).check(together);
  }

  private static JavaClasses classesOf(List<String> modules) {
    return new ClassFileImporter()
        .importPaths(
            modules.stream()
                .map(module -> Checkout.ROOT.resolve(module).resolve("target/classes"))
                .toArray(Path[]::new));
  }
}
