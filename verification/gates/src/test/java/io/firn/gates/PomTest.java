package io.firn.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class PomTest {
  private static final String BUNDLE = "integrations/spring-boot-jpa";

  private final Element bom = Checkout.pom(Checkout.ROOT.resolve("bom"));

  @Test
  void theBomNamesEveryPublishedModule() {
    List<String> published =
        Checkout.publishedModules().stream()
            .flatMap(
                module ->
                    Checkout.texts(Checkout.pom(Checkout.ROOT.resolve(module)), "artifactId")
                        .stream())
            .toList();
    assertThat(published).contains("firn-core");
    assertThat(
            Checkout.texts(bom, "dependencyManagement", "dependencies", "dependency", "artifactId"))
        .containsExactlyInAnyOrderElementsOf(published);
  }

  /** An integration may be an automatic one: what it integrates with often is no module. */
  @Test
  void everyPublishedModuleIsAJavaModule() {
    assertThat(Checkout.publishedModules())
        .allSatisfy(
            module -> {
              if (isIntegration(module) && !automaticName(module).isEmpty()) {
                assertThat(automaticName(module)).allMatch(name -> name.startsWith("io.firn."));
              } else {
                assertThat(Checkout.ROOT.resolve(module + "/src/main/java/module-info.java"))
                    .exists();
              }
            });
  }

  /** Meters bring core only, so whoever brings them, as the starter does, brings no more. */
  @Test
  void anIntegrationBringsCoreAndMetersAtMost() {
    assertThat(
            Checkout.publishedModules().stream()
                .filter(PomTest::isIntegration)
                .filter(module -> !module.equals(BUNDLE)))
        .isNotEmpty()
        .allSatisfy(
            module ->
                assertThat(Checkout.broughtBy(module))
                    .isSubsetOf("io.firn:firn-core", "io.firn:firn-micrometer"));
  }

  /** For those who want one dependency; each module of them brings no framework either. */
  @Test
  void theStarterForJpaBringsFirnAlone() {
    assertThat(Checkout.broughtBy(BUNDLE))
        .containsExactlyInAnyOrder(
            "io.firn:firn-spring-boot-starter", "io.firn:firn-jdbc", "io.firn:firn-hibernate");
  }

  /** A module says in properties what its gates need to know; see the root pom. */
  @Test
  void gatesAreBoundInTheRootPomOnly() {
    assertThat(Checkout.modules())
        .allSatisfy(
            module ->
                assertThat(
                        Checkout.texts(
                            Checkout.pom(Checkout.ROOT.resolve(module)),
                            "profiles",
                            "profile",
                            "build"))
                    .isEmpty());
  }

  /** Maven refuses to install a module that has no jar. */
  @Test
  void modulesOfTestsAloneAreNotInstalled() {
    assertThat(Checkout.modules().stream().filter(PomTest::hasTestsAlone))
        .isNotEmpty()
        .allSatisfy(
            module ->
                assertThat(
                        Checkout.texts(
                            Checkout.pom(Checkout.ROOT.resolve(module)),
                            "properties",
                            "maven.install.skip"))
                    .containsExactly("true"));
  }

  private static boolean hasTestsAlone(String module) {
    return !module.equals("bom") && !Files.exists(Checkout.ROOT.resolve(module + "/src/main/java"));
  }

  @Test
  void quickBuildNeedsNoTestServers() {
    assertThat(Checkout.modules())
        .allSatisfy(
            module ->
                assertThat(
                        Checkout.texts(
                            Checkout.pom(Checkout.ROOT.resolve(module)),
                            "dependencies",
                            "dependency",
                            "artifactId"))
                    .as("dependencies of %s (use ${firn.testservers})", module)
                    .doesNotContain("firn-testservers"));
  }

  private static boolean isIntegration(String module) {
    return module.startsWith("integrations/");
  }

  private static List<String> automaticName(String module) {
    return Checkout.texts(
        Checkout.pom(Checkout.ROOT.resolve(module)),
        "build",
        "plugins",
        "plugin",
        "configuration",
        "archive",
        "manifestEntries",
        "Automatic-Module-Name");
  }
}
