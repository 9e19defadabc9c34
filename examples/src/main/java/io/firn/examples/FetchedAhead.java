package io.firn.examples;

import io.firn.client.FirnClient;
import java.net.URI;
import java.util.List;

/** IDs of servers, two of them, of which one may be down: {@code ./firn serve} starts one. */
public final class FetchedAhead {

  private FetchedAhead() {}

  /** Prints an ID. */
  public static void main(String[] args) {
    // begin client
    List<URI> servers =
        List.of(URI.create("http://127.0.0.1:7608"), URI.create("http://127.0.0.1:7618"));
    try (FirnClient orders = FirnClient.builder(servers, "orders").build()) {
      System.out.println(orders.nextId());
    }
    // end
  }
}
