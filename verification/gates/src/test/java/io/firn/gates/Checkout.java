package io.firn.gates;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The checkout that is being built. */
final class Checkout {
  static final Path ROOT =
      Path.of(System.getProperty("firn.root", "../..")).toAbsolutePath().normalize();

  private Checkout() {}

  /** The folders of all modules that every build has, as the root pom names them. */
  static List<String> modules() {
    return texts(pom(ROOT), "modules", "module");
  }

  /** The folders of the modules that only a profile of the root pom adds. */
  static List<String> modulesOf(String profile) {
    return children(pom(ROOT), "profiles").stream()
        .flatMap(profiles -> children(profiles, "profile").stream())
        .filter(one -> texts(one, "id").contains(profile))
        .flatMap(one -> texts(one, "modules", "module").stream())
        .toList();
  }

  /** The modules with classes that are published, as far as every build has them. */
  static List<String> publishedModules() {
    return published(modules());
  }

  /** Those of some modules that are published. */
  static List<String> published(List<String> modules) {
    return modules.stream()
        .filter(module -> !texts(pom(ROOT.resolve(module)), "packaging").contains("pom"))
        .filter(
            module ->
                !texts(pom(ROOT.resolve(module)), "properties", "maven.deploy.skip")
                    .contains("true"))
        .toList();
  }

  /** Returns the dependencies that users of a module get. */
  static List<String> broughtBy(String module) {
    return children(pom(ROOT.resolve(module)), "dependencies").stream()
        .flatMap(dependencies -> children(dependencies, "dependency").stream())
        .filter(dependency -> !texts(dependency, "optional").contains("true"))
        .filter(dependency -> !texts(dependency, "scope").contains("test"))
        .filter(dependency -> !texts(dependency, "scope").contains("provided"))
        .map(
            dependency ->
                String.join(":", texts(dependency, "groupId"))
                    + ":"
                    + String.join(":", texts(dependency, "artifactId")))
        .toList();
  }

  /** The packages of a module that it does not export to everyone. */
  static Set<String> hiddenPackages(String module) {
    ModuleDescriptor descriptor =
        ModuleFinder.of(ROOT.resolve(module).resolve("target/classes")).findAll().stream()
            .map(ModuleReference::descriptor)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("build " + module + " before this"));
    Set<String> hidden = new HashSet<>(descriptor.packages());
    descriptor.exports().stream()
        .filter(exports -> !exports.isQualified())
        .forEach(exports -> hidden.remove(exports.source()));
    return hidden;
  }

  static Element pom(Path folder) {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(folder.resolve("pom.xml").toFile())
          .getDocumentElement();
    } catch (IOException | ParserConfigurationException | SAXException e) {
      throw new IllegalStateException("cannot read the pom of " + folder, e);
    }
  }

  /** The texts of all elements that this path of child names leads to. */
  static List<String> texts(Element from, String... path) {
    List<Element> found = List.of(from);
    for (String name : path) {
      found = found.stream().flatMap(element -> children(element, name).stream()).toList();
    }
    return found.stream().map(element -> element.getTextContent().strip()).toList();
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> children = new ArrayList<>();
    NodeList nodes = parent.getChildNodes();
    for (int i = 0; i < nodes.getLength(); i++) {
      Node node = nodes.item(i);
      if (node instanceof Element element && element.getTagName().equals(name)) {
        children.add(element);
      }
    }
    return children;
  }
}
