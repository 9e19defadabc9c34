package io.firn.benchmarks;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/**
 * The peer over HTTP: Netty with what its examples use, on the transport that the server has as
 * well, answering a number that is constant.
 */
final class BareNetty {

  private static final int MAX_BODY_BYTES = 1 << 16;
  private static final ByteBuf BODY =
      Unpooled.unreleasableBuffer(
          Unpooled.copiedBuffer("117204418789376000\n", StandardCharsets.US_ASCII));

  private BareNetty() {}

  /** Listens at the port that is the argument, until the process is killed. */
  public static void main(String[] args) {
    int asManyAsFirn = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    EventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(asManyAsFirn, EpollIoHandler.newFactory());
    new ServerBootstrap()
        .group(loops)
        .channel(EpollServerSocketChannel.class)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                channel
                    .pipeline()
                    .addLast(
                        new HttpServerCodec(),
                        new HttpObjectAggregator(MAX_BODY_BYTES),
                        new Constant());
              }
            })
        .bind("127.0.0.1", Integer.parseInt(args[0]))
        .syncUninterruptibly();
    System.out.println("listening");
  }

  private static final class Constant extends SimpleChannelInboundHandler<FullHttpRequest> {

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.OK, BODY.duplicate());
      response
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, "text/plain")
          .setInt(HttpHeaderNames.CONTENT_LENGTH, BODY.readableBytes());
      ctx.write(response, ctx.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ctx.flush();
    }
  }
}
