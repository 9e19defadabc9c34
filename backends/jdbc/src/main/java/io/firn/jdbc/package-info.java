/**
 * Registers in a table of a relational database, through JDBC, and segments from the tables of Leaf
 * and tinyid and from ticket servers.
 */
@NullMarked
package io.firn.jdbc;

import org.jspecify.annotations.NullMarked;
