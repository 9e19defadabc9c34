/** IDs for what MyBatis and MyBatis-Plus insert. */
@SuppressWarnings("requires-automatic") // both have a name and no module-info
module io.firn.mybatis {
  requires transitive io.firn.core;
  requires static mybatis.plus.core;
  requires static org.jspecify;
  requires org.mybatis;

  exports io.firn.mybatis;
}
