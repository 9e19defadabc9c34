package io.firn.spring.shop;

import io.firn.hibernate.FirnId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The smallest documented application: the starter, a database, and entities with IDs. */
@SpringBootApplication
public class ShopApplication {

  /** An entity whose namespace no property names. */
  @Entity(name = "orders")
  public static class Order {
    @Id
    @FirnId("orders")
    @Nullable Long id;

    @Column(nullable = false)
    String customer = "";
  }

  /** Runs until it is stopped. */
  public static void main(String... arguments) throws InterruptedException {
    SpringApplication.run(ShopApplication.class, arguments);
    new CountDownLatch(1).await();
  }
}
