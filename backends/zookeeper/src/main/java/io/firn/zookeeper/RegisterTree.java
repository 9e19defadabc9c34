package io.firn.zookeeper;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Maps registers to nodes. The parent node is named after the part of the register's name before
 * its last '/', and its child after the part behind it. So {@code orders/worker/17} is {@code
 * /firn/orders%2Fworker/17}, and a scan of the registers with a prefix lists the children of few
 * nodes.
 *
 * <p>Letters, digits, '.', '-', '*' and '_' stand for themselves, a space is '+', and every other
 * byte of the UTF-8 form is %XX, as in a query of a URL. What ZooKeeper takes for no name is {@code
 * %2E} and {@code %2E%2E} for the dots, {@code %00} for nothing; where there is no '/' at all the
 * parent is {@code %}.
 *
 * @param root the path of the node that all are below
 */
record RegisterTree(String root) {

  private static final String NO_PARENT = "%";
  private static final String EMPTY = "%00";

  /** The path of a register's node. */
  String path(String name) {
    int end = name.lastIndexOf('/') + 1;
    return root + "/" + component(name.substring(0, end)) + "/" + encode(name.substring(end));
  }

  /** The paths of the nodes above a register's, the highest first. */
  static List<String> ancestors(String path) {
    List<String> ancestors = new ArrayList<>();
    for (int end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) {
      ancestors.add(path.substring(0, end));
    }
    return ancestors;
  }

  /** The path of a child of the root. */
  String parent(String component) {
    return root + "/" + component;
  }

  /** The beginning, up to and with its last '/', of the names of all children of that node. */
  static String beginning(String component) {
    return component.equals(NO_PARENT) ? "" : decode(component) + "/";
  }

  /** The rest of the name of such a child. */
  static String rest(String node) {
    return decode(node);
  }

  private static String component(String beginning) {
    return beginning.isEmpty() ? NO_PARENT : encode(beginning.substring(0, beginning.length() - 1));
  }

  private static String encode(String part) {
    return switch (part) {
      case "" -> EMPTY;
      case ".", ".." -> part.replace(".", "%2E");
      default -> URLEncoder.encode(part, StandardCharsets.UTF_8);
    };
  }

  private static String decode(String encoded) {
    return encoded.equals(EMPTY) ? "" : URLDecoder.decode(encoded, StandardCharsets.UTF_8);
  }
}
