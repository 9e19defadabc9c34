/** Firn for MyBatis-Plus: {@link io.firn.mybatisplus.FirnIdentifiers}. */
@NullMarked
package io.firn.mybatisplus;

import org.jspecify.annotations.NullMarked;
