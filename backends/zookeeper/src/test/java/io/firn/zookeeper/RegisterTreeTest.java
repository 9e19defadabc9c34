package io.firn.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;

class RegisterTreeTest {

  private final RegisterTree tree = new RegisterTree("/firn");

  @Test
  void pathsCanBeRead() {
    Map<String, String> paths =
        Map.of(
            "orders/layout", "/firn/orders/layout",
            "orders/worker/17", "/firn/orders%2Fworker/17",
            "a.b_c-d/x", "/firn/a.b_c-d/x",
            "two words/%", "/firn/two+words/%25",
            "alone", "/firn/%/alone",
            "/x", "/firn/%00/x",
            "x/", "/firn/x/%00",
            "./..", "/firn/%2E/%2E%2E",
            "日本/é", "/firn/%E6%97%A5%E6%9C%AC/%C3%A9");

    paths.forEach((name, path) -> assertThat(tree.path(name)).isEqualTo(path));
  }

  @Test
  void everyNameHasAPathOfItsOwnThatLeadsBackToIt() {
    Set<String> paths = new HashSet<>();
    List<String> parts =
        List.of(
            "", "/", "//", ".", "..", "%", "%00", "%2F", "+", " ", "*", "a", "A", "\ud83d\ude00");
    for (String first : parts) {
      for (String second : parts) {
        for (String name : Set.of(first + second, first + "/" + second)) {
          if (!name.isEmpty()) {
            String path = tree.path(name);
            paths.add(name + " at " + path);
            PathUtils.validatePath(path);
            String[] nodes = path.split("/", -1);
            assertThat(nodes).hasSize(4);
            assertThat(RegisterTree.beginning(nodes[2]) + RegisterTree.rest(nodes[3]))
                .isEqualTo(name);
          }
        }
      }
    }
    assertThat(paths.stream().map(path -> path.replaceFirst("(?s).* at ", "")).distinct())
        .hasSameSizeAs(paths);
  }

  @Test
  void ancestorsAreTheNodesAbove() {
    assertThat(RegisterTree.ancestors("/prod/ids/orders/layout"))
        .containsExactly("/prod", "/prod/ids", "/prod/ids/orders");
  }
}
