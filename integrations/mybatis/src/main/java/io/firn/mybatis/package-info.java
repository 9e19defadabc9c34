/**
 * IDs for what MyBatis inserts ({@link io.firn.mybatis.IssuedIds}), and keys for MyBatis-Plus
 * ({@link io.firn.mybatis.FirnIdentifiers}, the only type that needs it).
 */
@NullMarked
package io.firn.mybatis;

import org.jspecify.annotations.NullMarked;
