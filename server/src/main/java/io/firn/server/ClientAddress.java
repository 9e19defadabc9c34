package io.firn.server;

import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The addresses of the clients of channels. Thread-safe. */
public final class ClientAddress {

  private ClientAddress() {}

  /** Returns the address of the client of a channel. */
  public static InetAddress of(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress client
        ? client.getAddress()
        : InetAddress.getLoopbackAddress();
  }

  /**
   * Returns what identifies the client of a channel: an IPv4 address, or the first half of an IPv6
   * one, because a client has all addresses that begin with it.
   */
  static Object network(Channel channel) {
    InetAddress address = of(channel);
    return address instanceof Inet6Address
        ? ByteBuffer.wrap(address.getAddress()).getLong()
        : address;
  }

  /** Returns the address and the port of one end of a connection as text. */
  static String text(@Nullable SocketAddress end) {
    return end instanceof InetSocketAddress known
        ? NetUtil.toSocketAddressString(known)
        : "unknown:0";
  }
}
