package io.firn.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class PomTest {
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

  @Test
  void everyPublishedModuleIsAJavaModule() {
    assertThat(Checkout.publishedModules())
        .allSatisfy(
            module ->
                assertThat(Checkout.ROOT.resolve(module + "/src/main/java/module-info.java"))
                    .exists());
  }
}
