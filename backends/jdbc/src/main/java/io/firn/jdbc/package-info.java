/** Registers in a table of a relational database, through JDBC. */
@NullMarked
package io.firn.jdbc;

import org.jspecify.annotations.NullMarked;
