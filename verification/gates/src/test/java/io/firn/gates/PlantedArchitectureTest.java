package io.firn.gates;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.firn.gates.planted.DefaultThing;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each of the {@link ArchitectureRules} turns red. */
class PlantedArchitectureTest {
  private static final String PLANTED = "io.firn.gates.planted.";
  private final JavaClasses planted =
      new ClassFileImporter().importPackages("io.firn.gates.planted");

  @Test
  void findsTheForeignDependency() {
    assertThat(violations(ArchitectureRules.dependsOnJavaAndItself(planted)))
        .isNotEmpty()
        .allMatch(text -> text.contains(PLANTED + "trip.There.check()"));
  }

  @Test
  void findsTheNamesThatSayNothing() {
    assertThat(violations(ArchitectureRules.namesSaySomething()))
        .satisfiesExactlyInAnyOrder(
            text -> assertThat(text).startsWith(PLANTED + "DefaultThing is public and named"),
            text -> assertThat(text).startsWith(PLANTED + "util.Tools is named like"));
  }

  @Test
  void findsTheGetter() {
    assertThat(violations(ArchitectureRules.accessorsHaveNoGet()))
        .containsExactly(PLANTED + "DefaultThing has getSize()");
  }

  @Test
  void findsThePackageThatIsNotNullMarked() {
    assertThat(violations(ArchitectureRules.packagesAreNullMarked()))
        .containsExactly(PLANTED + "util.Tools has no package-info with @NullMarked");
  }

  @Test
  void findsTheCycle() {
    assertThat(violations(ArchitectureRules.packagesHaveNoCycles()))
        .singleElement()
        .asString()
        .contains(PLANTED + "round", PLANTED + "trip");
  }

  @Test
  void findsTheLeaseThatKnowsSegments() {
    assertThat(violations(ArchitectureRules.leasesDoNotKnowSegments()))
        .isNotEmpty()
        .allMatch(text -> text.contains(PLANTED + "lease.Renewal"));
  }

  @Test
  void findsTheStoreThatKnowsMoreThanStores() {
    assertThat(violations(ArchitectureRules.storesDependOnTheStorePackage()))
        .containsExactlyInAnyOrder(
            PLANTED + "evasion.Counter depends on " + PLANTED + "lease.Renewal",
            PLANTED + "round.There depends on " + PLANTED + "trip.Back",
            PLANTED + "trip.Back depends on " + PLANTED + "round.There");
  }

  @Test
  void findsTheBuilders() {
    assertThat(violations(ArchitectureRules.buildersBuildOnce()))
        .containsExactlyInAnyOrder(
            PLANTED + "evasion.Options is a builder that is not nested as Builder",
            PLANTED + "segment.StepBuilder is a builder that is not nested as Builder",
            PLANTED + "segment.Step$Builder has size(), which does not call once",
            PLANTED + "segment.Step$Builder has count(), which does not check its argument",
            PLANTED + "segment.Step$Builder has build(), which does not call buildOnce");
  }

  @Test
  void findsTheNameUsedTwice() {
    assertThat(violations(ArchitectureRules.classNamesAreUnique(planted)))
        .containsExactly(PLANTED + "trip.There has the simple name of " + PLANTED + "round.There");
  }

  @Test
  void countsHiddenTypes() {
    JavaClasses visible = new ClassFileImporter().importClasses(DefaultThing.class, String.class);
    assertThat(ArchitectureRules.hiddenPercent(visible)).isZero();
    JavaClasses withNested =
        new ClassFileImporter()
            .importClasses(
                Stream.concat(
                        Stream.of(String.class), Stream.of(DefaultThing.class.getDeclaredClasses()))
                    .toArray(Class<?>[]::new));
    assertThat(ArchitectureRules.hiddenPercent(withNested)).isEqualTo(66);
  }

  private List<String> violations(ArchRule rule) {
    return rule.evaluate(planted).getFailureReport().getDetails();
  }
}
