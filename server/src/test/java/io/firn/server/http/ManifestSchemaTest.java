package io.firn.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PodMonitor;
import io.firn.testservers.InstalledProgram;
import io.firn.testservers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.yaml.snakeyaml.Yaml;
import redis.clients.jedis.Jedis;

/**
 * The manifests in {@code docs/operating} have the properties that the schema of Kubernetes has,
 * and no others.
 */
final class ManifestSchemaTest {

  private static final Path DOCS = Path.of("..", "docs", "operating");

  private static final Map<String, Class<? extends HasMetadata>> KINDS =
      Map.of(
          "v1 ConfigMap", ConfigMap.class,
          "v1 Service", Service.class,
          "apps/v1 Deployment", Deployment.class,
          "apps/v1 StatefulSet", StatefulSet.class,
          "networking.k8s.io/v1 NetworkPolicy", NetworkPolicy.class,
          "policy/v1 PodDisruptionBudget", PodDisruptionBudget.class,
          "monitoring.coreos.com/v1 PodMonitor", PodMonitor.class);

  private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

  /** Refuses what the model, whose classes are made from the schema, does not know. */
  private static final JsonMapper STRICT =
      JsonMapper.builder().annotationIntrospector(new NothingElse()).build();

  /** Leaves out the places where the model keeps properties that it does not know. */
  private static final class NothingElse extends JacksonAnnotationIntrospector {

    private static final long serialVersionUID = 1L;

    @Override
    public Boolean hasAnySetter(Annotated annotated) {
      return false;
    }

    @Override
    public JsonIgnoreProperties.Value findPropertyIgnoralByName(
        MapperConfig<?> config, Annotated annotated) {
      return JsonIgnoreProperties.Value.empty();
    }
  }

  private static List<HasMetadata> read(String yaml) {
    List<HasMetadata> manifests = new ArrayList<>();
    for (Object document : new Yaml().loadAll(yaml)) {
      Map<?, ?> manifest = (Map<?, ?>) document;
      String kind = manifest.get("apiVersion") + " " + manifest.get("kind");
      assertThat(KINDS).containsKey(kind);
      manifests.add(STRICT.convertValue(manifest, KINDS.get(kind)));
    }
    return manifests;
  }

  @Test
  void everyManifestHasThePropertiesOfTheSchemaOnly() throws Exception {
    List<Path> files;
    try (Stream<Path> all = Files.list(DOCS)) {
      files = all.filter(file -> file.toString().endsWith(".yaml")).toList();
    }
    List<String> kinds = new ArrayList<>();
    for (Path file : files) {
      String text = Files.readString(file);
      if (text.lines().anyMatch(line -> line.startsWith("kind: "))
          && !file.endsWith("kustomization.yaml")) {
        read(text).forEach(manifest -> kinds.add(manifest.getKind()));
      }
    }
    assertThat(kinds)
        .containsExactlyInAnyOrder(
            "ConfigMap",
            "Deployment",
            "Service",
            "PodDisruptionBudget",
            "NetworkPolicy",
            "PodMonitor");
  }

  /** The blocks of a page that are manifests, and not parts of one. */
  private static List<HasMetadata> ofPage(String page) throws IOException {
    return BLOCK
        .matcher(Files.readString(DOCS.resolve(page)))
        .results()
        .map(block -> block.group(1))
        .filter(yaml -> yaml.startsWith("apiVersion: "))
        .flatMap(yaml -> read(yaml).stream())
        .toList();
  }

  @Test
  void everyManifestOfThePagesHasThePropertiesOfTheSchemaOnly() throws Exception {
    List<String> kinds = new ArrayList<>();
    try (Stream<Path> all = Files.list(DOCS)) {
      for (Path page : all.filter(file -> file.toString().endsWith(".md")).sorted().toList()) {
        ofPage(page.getFileName().toString()).forEach(manifest -> kinds.add(manifest.getKind()));
      }
    }
    assertThat(kinds)
        .containsExactly(
            "Deployment",
            "PodDisruptionBudget",
            "Service",
            "StatefulSet",
            "Service",
            "StatefulSet");
  }

  private static List<StatefulSet> statefulSets() throws IOException {
    return ofPage("kubernetes.md").stream()
        .filter(StatefulSet.class::isInstance)
        .map(StatefulSet.class::cast)
        .toList();
  }

  @Test
  void partsOfAStatefulSetFitTogether() throws Exception {
    assertThat(statefulSets())
        .hasSize(2)
        .allSatisfy(
            set -> {
              assertThat(set.getSpec().getSelector().getMatchLabels())
                  .isEqualTo(set.getSpec().getTemplate().getMetadata().getLabels());
              assertThat(set.getSpec().getServiceName()).isEqualTo(set.getMetadata().getName());
            });
  }

  @Test
  void redisOfThePageKeepsWhatItAcknowledges() throws Exception {
    List<String> arguments =
        statefulSets().get(1).getSpec().getTemplate().getSpec().getContainers().get(0).getArgs();
    assertThat(arguments).contains("--appendfsync", "always");
    try (RedisServer redis = RedisServer.start(arguments.toArray(String[]::new));
        Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
      assertThat(jedis.configGet("appendonly")).containsEntry("appendonly", "yes");
      assertThat(jedis.configGet("appendfsync")).containsEntry("appendfsync", "always");
      assertThat(jedis.configGet("maxmemory-policy"))
          .containsEntry("maxmemory-policy", "noeviction");
    }
  }

  @Test
  void misspelledPropertiesAreRefused() throws Exception {
    String manifests = Files.readString(DOCS.resolve("kubernetes.yaml"));
    for (String property :
        List.of(
            "podSelector:",
            "periodSeconds:",
            "targetPort:",
            "fsGroup:",
            "maxUnavailable:",
            "exec:")) {
      assertThat(manifests).contains(property);
      assertThatThrownBy(() -> read(manifests.replace(property, "x-" + property)))
          .as(property)
          .hasMessageContaining("Unrecognized field \"x-" + property.replace(":", "\""));
    }
  }

  static boolean kubectlIsInstalled() {
    return new InstalledProgram("kubectl", "kubernetes-client", "FIRN_REQUIRE_KUBECTL")
        .isInstalled();
  }

  @Test
  @EnabledIf("kubectlIsInstalled")
  void kustomizeRendersTheBase() throws Exception {
    assertThat(read(rendered()))
        .extracting(HasMetadata::getKind)
        .containsExactlyInAnyOrder(
            "ConfigMap",
            "Deployment",
            "Service",
            "PodDisruptionBudget",
            "NetworkPolicy",
            "PodMonitor");
  }

  private static String rendered() throws IOException, InterruptedException {
    Process kustomize =
        new ProcessBuilder("kubectl", "kustomize", DOCS.toString())
            .redirectErrorStream(true)
            .start();
    String rendered = new String(kustomize.getInputStream().readAllBytes(), UTF_8);
    assertThat(kustomize.waitFor()).as(rendered).isZero();
    return rendered;
  }
}
