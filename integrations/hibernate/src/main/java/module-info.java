/** IDs for entities of Hibernate. */
@SuppressWarnings("requires-automatic") // Hibernate has a name and no module-info
module io.firn.hibernate {
  requires transitive io.firn.core;
  requires java.naming; // a session factory is one of its Referenceables
  requires org.hibernate.orm.core;
  requires static org.jspecify;

  exports io.firn.hibernate;

  provides org.hibernate.boot.model.TypeContributor with
      io.firn.hibernate.FirnContributor;
  provides org.hibernate.service.spi.ServiceContributor with
      io.firn.hibernate.FirnContributor;
}
