package io.firn.examples.boot4;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Orders over H2, or over what {@code spring.datasource.url} names; a page at {@code /}. */
@SpringBootApplication(proxyBeanMethods = false)
public class Shop {

  /** For Spring. */
  Shop() {}

  /** Starts it. */
  public static void main(String[] args) {
    SpringApplication.run(Shop.class, args);
  }
}
