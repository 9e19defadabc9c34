package io.firn.server.http;

import io.firn.server.RawClient;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection whose requests and answers are seen byte for byte. */
final class RawHttp implements AutoCloseable {

  private static final Pattern LENGTH = Pattern.compile("(?i)content-length: ([0-9]+)\r\n");

  private final RawClient client;

  RawHttp(RawClient client) {
    this.client = client;
  }

  RawHttp send(String text) {
    client.send(text);
    return this;
  }

  RawHttp send(byte[] bytes) {
    client.send(bytes);
    return this;
  }

  /** Says that nothing follows. */
  RawHttp finish() {
    client.endSending();
    return this;
  }

  /** A GET in HTTP/1.1. */
  RawHttp get(String path) {
    return send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }

  /** The next answer, with its head and its body. */
  String answer() {
    String head = head();
    Matcher length = LENGTH.matcher(head);
    return length.find() ? head + client.receive(Integer.parseInt(length.group(1))) : head;
  }

  /** The next head of an answer, without its date; empty at the end. */
  String head() {
    StringBuilder head = new StringBuilder();
    for (String line = client.line(); !line.isEmpty(); line = client.line()) {
      head.append(line).append("\r\n");
    }
    return head.isEmpty() ? "" : undated(head + "\r\n");
  }

  /** Everything until the server closes, without dates. */
  String rest() {
    return undated(client.rest());
  }

  private static String undated(String answers) {
    return answers.replaceAll("(?m)^date: .*\r\n", "");
  }

  @Override
  public void close() {
    client.close();
  }
}
