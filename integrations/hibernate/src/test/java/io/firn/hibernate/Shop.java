package io.firn.hibernate;

import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import jakarta.persistence.Cacheable;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;

/** Entities of all kinds. */
final class Shop {

  static final List<Class<?>> ENTITIES =
      List.of(
          Customer.class,
          Order.class,
          Line.class,
          Parcel.class,
          Letter.class,
          Label.class,
          Token.class,
          Session.class,
          Document.class,
          Visit.class,
          Counted.class);

  private Shop() {}

  @Entity(name = "orders")
  static class Order {
    @Id
    @FirnId("orders")
    long id;

    String what = "";

    @FirnId Long number;
  }

  @Entity(name = "customers")
  static class Customer {
    @Id @GeneratedValue @FirnId Long id;
  }

  @Embeddable
  static class LineId implements Serializable {
    private static final long serialVersionUID = 1L;

    long orderId;

    @FirnId("orders")
    Long lineId;

    @Override
    public boolean equals(Object other) {
      return other instanceof LineId that
          && orderId == that.orderId
          && Objects.equals(lineId, that.lineId);
    }

    @Override
    public int hashCode() {
      return Objects.hash(orderId, lineId);
    }
  }

  @Entity(name = "order_lines")
  static class Line {
    @EmbeddedId LineId id = new LineId();
  }

  @Embeddable
  static class Stamp {
    @FirnId Long number;

    String text = "";
  }

  @Entity(name = "letters")
  static class Letter {
    @Id @FirnId Long id;

    Stamp stamp = new Stamp();

    @ElementCollection List<Stamp> others = new ArrayList<>(List.of(new Stamp(), new Stamp()));
  }

  @Entity(name = "parcels")
  static class Parcel {
    private String code;
    @Version Long version;

    @Id
    @FirnId(format = "base32")
    String getCode() {
      return code;
    }

    void setCode(String code) {
      this.code = code;
    }
  }

  @Entity(name = "labels")
  static class Label {
    @Id
    @FirnId(format = "ulid")
    String id;
  }

  @Entity(name = "tokens")
  static class Token {
    @Id @FirnId UUID id;
  }

  @Entity(name = "sessions")
  static class Session {
    @Id @FirnId Ulid id;
  }

  @Entity(name = "documents")
  static class Document {
    @Id @FirnId ObjectId id;

    @FirnId Ulid revision;
  }

  /** Kept in the second-level cache. */
  @Entity(name = "visits")
  @Cacheable
  @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
  static class Visit {
    @Id @FirnId Ulid id;

    @FirnId ObjectId page;
  }

  /** As most people have it. */
  @Entity(name = "counted")
  static class Counted {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;
  }
}
