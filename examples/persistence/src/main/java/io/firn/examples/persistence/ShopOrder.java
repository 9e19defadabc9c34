package io.firn.examples.persistence;

import io.firn.hibernate.FirnId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

// begin order
/** The shortest entity whose ID Firn issues. */
@Entity
class ShopOrder {
  @Id @FirnId @Nullable Long id;
}
// end
