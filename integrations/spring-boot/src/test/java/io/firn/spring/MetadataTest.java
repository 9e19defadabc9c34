package io.firn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.integration.GeneratorSettings.Setting;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Arrays;
import java.util.Collections;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.boot.SpringBootVersion;

final class MetadataTest {

  @Test
  void runsOnTheBootThatIsMeant() {
    assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("firn.boot"));
  }

  @Test
  void everyPropertyIsDescribed() throws IOException {
    String metadata = resource("META-INF/spring-configuration-metadata.json");
    assertThat(Arrays.stream(FirnProperties.class.getRecordComponents()))
        .isNotEmpty()
        .allSatisfy(
            component ->
                assertThat(metadata)
                    .containsPattern(
                        "\"name\": \"firn\\."
                            + kebab(component.getName())
                            + "\",\\s+\"type\": \"[^\"]+\",\\s+\"description\": \"[A-Z]"));
    assertThat(metadata).contains("\"value\": \"ordinal\"");
  }

  @Test
  void everySettingOfAGeneratorIsAPropertyOfANamespace() {
    assertThat(
            Arrays.stream(FirnProperties.Namespace.class.getRecordComponents())
                .map(component -> kebab(component.getName())))
        .containsAll(Arrays.stream(Setting.values()).map(Setting::key).toList());
  }

  @Test
  void everyConfigurationIsListed() throws IOException {
    Stream<String> listed =
        resource("META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports")
            .lines();
    assertThat(listed)
        .containsExactlyInAnyOrder(
            Stream.of(
                    FirnAutoConfiguration.class,
                    FirnEndpointAutoConfiguration.class,
                    FirnMeterAutoConfiguration.class,
                    AggregateIdAutoConfiguration.class,
                    HibernateAutoConfiguration.class,
                    MyBatisAutoConfiguration.class,
                    MyBatisPlusAutoConfiguration.class,
                    HealthAutoConfiguration.class)
                .map(Class::getName)
                .toArray(String[]::new));
  }

  @Test
  void theSelectorHasAName() throws NoSuchMethodException {
    assertThat(
            FirnEndpoint.class.getDeclaredMethod("decode", long.class).getParameters()[0].getName())
        .isEqualTo("id");
  }

  @Test
  void aNativeImageCanReadSettings() {
    RuntimeHints hints = new RuntimeHints();
    new SettingHints().registerHints(hints, null);
    assertThat(hints.reflection().typeHints())
        .hasSize(3)
        .allSatisfy(
            type ->
                assertThat(type.methods())
                    .singleElement()
                    .hasFieldOrPropertyWithValue("name", "of"));
  }

  private static String kebab(String name) {
    return Pattern.compile("[A-Z]")
        .matcher(name)
        .replaceAll(capital -> "-" + Character.toLowerCase(capital.group().charAt(0)));
  }

  private static String resource(String name) throws IOException {
    // of the starter, not of Boot
    String place = FirnProperties.class.getProtectionDomain().getCodeSource().getLocation() + "";
    for (URL url : Collections.list(MetadataTest.class.getClassLoader().getResources(name))) {
      if (url.toString().contains(place)) {
        try (InputStream in = Objects.requireNonNull(url.openStream())) {
          return new String(in.readAllBytes(), UTF_8);
        }
      }
    }
    throw new AssertionError(name + " is not in " + place);
  }
}
