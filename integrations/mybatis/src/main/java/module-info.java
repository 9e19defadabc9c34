/** IDs for what MyBatis inserts. */
@SuppressWarnings("requires-automatic") // MyBatis has a name and no module-info
module io.firn.mybatis {
  requires transitive io.firn.core;
  requires org.mybatis;
  requires static org.jspecify;

  exports io.firn.mybatis;
}
