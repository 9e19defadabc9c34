/** IDs for what MyBatis inserts: {@link io.firn.mybatis.IssuedIds}. */
@NullMarked
package io.firn.mybatis;

import org.jspecify.annotations.NullMarked;
