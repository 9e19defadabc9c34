package io.firn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.firn.ClockPolicy;
import io.firn.IdLayout;
import io.firn.SequenceStart;
import io.firn.integration.GeneratorSettings.Setting;
import io.firn.lease.AfterLoss;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.boot.SpringBootVersion;

final class MetadataTest {

  private static final String METADATA = "META-INF/spring-configuration-metadata.json";

  @Test
  void runsOnTheBootThatIsMeant() {
    assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("firn.boot"));
  }

  @Test
  void everyPropertyIsDescribed() throws IOException {
    assertDescribed("firn", FirnProperties.class);
    assertThat(hints("firn.worker")).contains("lease", "ordinal");
  }

  /** For one name of a namespace, because metadata cannot describe the values of a map. */
  @Test
  void everyPropertyOfANamespaceIsDescribedWithItsValues() throws IOException {
    String prefix = "firn.namespaces.default";
    assertDescribed(prefix, FirnProperties.Namespace.class);
    assertThat(hints("firn.namespaces.keys")).containsExactly("default");
    assertThat(hints(prefix + ".worker")).containsExactly("lease", "ordinal");
    assertThat(hints(prefix + ".type"))
        .containsExactlyElementsOf(lowerCase(FirnProperties.Type.values()));
    assertThat(hints(prefix + ".after-loss"))
        .containsExactlyElementsOf(lowerCase(AfterLoss.values()));
    assertThat(hints(prefix + ".layout")).containsExactlyElementsOf(IdLayout.named().keySet());
    assertThat(hints(prefix + ".next-layout")).containsExactlyElementsOf(IdLayout.named().keySet());
    assertThat(hints(prefix + ".sequence-start"))
        .hasSize(4)
        .allSatisfy(
            value -> assertThatCode(() -> SequenceStart.of(value)).doesNotThrowAnyException());
    assertThat(hints(prefix + ".clock-policy"))
        .hasSize(4)
        .allSatisfy(
            value -> assertThatCode(() -> ClockPolicy.of(value)).doesNotThrowAnyException());
  }

  private static void assertDescribed(String prefix, Class<? extends Record> properties)
      throws IOException {
    String metadata = resource(METADATA);
    assertThat(Arrays.stream(properties.getRecordComponents()))
        .isNotEmpty()
        .allSatisfy(
            component ->
                assertThat(metadata)
                    .containsPattern(
                        "\"name\": \""
                            + Pattern.quote(prefix + "." + kebab(component.getName()))
                            + "\",\\s+\"type\": \"[^\"]+\",\\s+\"description\": \"[A-Z]"));
  }

  /** Returns the values that an editor offers. */
  private static List<String> hints(String property) throws IOException {
    String hints = resource(METADATA).replaceFirst("(?s).*\"hints\":", "");
    Matcher hint =
        Pattern.compile("\"name\": \"" + Pattern.quote(property) + "\",\\s+\"values\": \\[([^]]*)]")
            .matcher(hints);
    assertThat(hint.find()).as(property).isTrue();
    return Pattern.compile("\"value\": \"([^\"]*)\"")
        .matcher(hint.group(1))
        .results()
        .map(value -> value.group(1))
        .toList();
  }

  private static List<String> lowerCase(Enum<?>... values) {
    return Arrays.stream(values).map(value -> value.name().toLowerCase(Locale.ROOT)).toList();
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
