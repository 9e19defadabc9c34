package io.firn.spring.jpa;

import io.firn.hibernate.FirnId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

@Entity(name = "orders")
class Order {
  @Id
  @FirnId("orders")
  @Nullable Long id;
}
