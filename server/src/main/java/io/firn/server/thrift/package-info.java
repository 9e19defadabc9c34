/** Twitter's Thrift service of 2010: framed transport, binary protocol, four calls. */
@NullMarked
package io.firn.server.thrift;

import org.jspecify.annotations.NullMarked;
