package io.firn.examples.boot3;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Invoices whose numbers have no gaps to speak of, over H2. */
@SpringBootApplication(proxyBeanMethods = false)
public class Billing {

  /** For Spring. */
  Billing() {}

  /** Starts it. */
  public static void main(String[] args) {
    SpringApplication.run(Billing.class, args);
  }
}
