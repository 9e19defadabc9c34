package io.firn.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class PomTest {
  private static final String BUNDLE = "integrations/spring-boot-jpa";

  private final Element bom = Checkout.pom(Checkout.ROOT.resolve("bom"));

  /** With those that are built in the deep build or by name. */
  private static List<String> allModules() {
    return Stream.concat(Checkout.modules().stream(), Checkout.modulesOf("engines").stream())
        .toList();
  }

  private static List<String> allPublished() {
    return Checkout.published(allModules());
  }

  @Test
  void theDeepBuildHasEveryEngine() {
    assertThat(Checkout.modulesOf("engines"))
        .isNotEmpty()
        .doesNotContainAnyElementsOf(Checkout.modules())
        .isEqualTo(Checkout.modulesOf("deep"));
  }

  @Test
  void theBomNamesEveryPublishedModule() {
    List<String> published =
        allPublished().stream()
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
    assertThat(allPublished())
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
            allPublished().stream()
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
    assertThat(allModules())
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
    assertThat(allModules().stream().filter(PomTest::hasTestsAlone))
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
    assertThat(allModules())
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

  /** Maven Central asks for six elements; four of them are inherited from the root. */
  @Test
  void everyPublishedModuleSaysWhatMavenCentralAsksFor() {
    assertThat(missingElements(Checkout.pom(Checkout.ROOT))).isEmpty();
    assertThat(missingOwnElements(bom)).isEmpty();
    assertThat(allPublished())
        .hasSizeGreaterThan(10)
        .allSatisfy(
            module -> {
              Element pom = Checkout.pom(Checkout.ROOT.resolve(module));
              assertThat(missingOwnElements(pom)).isEmpty();
              assertThat(Checkout.texts(pom, "parent", "artifactId")).contains("firn-parent");
            });
  }

  @Test
  void plantedPomsLackTheirElements() {
    Element gates = Checkout.pom(Checkout.ROOT.resolve("verification/gates"));
    assertThat(missingElements(gates))
        .containsExactly("url", "licenses/license/name", "scm/url", "developers/developer/name");
    gates.removeChild(gates.getElementsByTagName("name").item(0));
    assertThat(missingOwnElements(gates)).containsExactly("name");
  }

  /** A module without a public type packages a note in place of its Javadoc. */
  @Test
  void everyPublishedModuleHasAJavadocJar() {
    assertThat(allPublished())
        .allSatisfy(
            module -> {
              Element pom = Checkout.pom(Checkout.ROOT.resolve(module));
              if (Checkout.texts(pom, "properties", "firn.javadoc.skip").contains("true")) {
                assertThat(Checkout.texts(pom, "properties", "firn.javadoc.stand-in"))
                    .containsExactly("package");
                assertThat(Checkout.ROOT.resolve(module + "/src/javadoc")).isNotEmptyDirectory();
              }
            });
  }

  private static List<String> missingElements(Element pom) {
    return missing(
        pom,
        "name",
        "description",
        "url",
        "licenses/license/name",
        "scm/url",
        "developers/developer/name");
  }

  private static List<String> missingOwnElements(Element pom) {
    return missing(pom, "name", "description");
  }

  private static List<String> missing(Element pom, String... paths) {
    return Stream.of(paths)
        .filter(path -> Checkout.texts(pom, path.split("/")).stream().allMatch(String::isBlank))
        .toList();
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
