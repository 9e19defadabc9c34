package io.firn.boot;

import io.firn.hibernate.FirnId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity(name = "tickets")
class Ticket {

  @Id @FirnId Long id;

  @FirnId("numbers")
  long number;
}
