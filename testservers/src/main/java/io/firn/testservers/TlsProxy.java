package io.firn.testservers;

import io.firn.testkit.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;

/**
 * TLS before a server that has none. Its certificate, by itself, is for the host name {@code
 * localhost} and for nothing else, not for 127.0.0.1; clients must show the same one.
 */
public final class TlsProxy implements AutoCloseable {

  private final LocalhostCertificate certificate = new LocalhostCertificate();
  private final InetSocketAddress server;
  private final SSLServerSocket listener;

  private TlsProxy(InetSocketAddress server) {
    this.server = server;
    try {
      listener =
          (SSLServerSocket) certificate.context().getServerSocketFactory().createServerSocket();
      SSLParameters parameters = listener.getSSLParameters();
      parameters.setNeedClientAuth(true);
      parameters.setApplicationProtocols(new String[] {"h2"}); // for those who ask
      listener.setSSLParameters(parameters);
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.next()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    run(this::accept);
  }

  /** Starts one. */
  public static TlsProxy to(InetSocketAddress server) {
    return new TlsProxy(server);
  }

  /** Returns where it listens, on the loopback interface. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Returns the certificate, as PEM. */
  public Path certificate() {
    return certificate.certificate();
  }

  /** Returns its key, as PEM. */
  public Path key() {
    return certificate.key();
  }

  /** Returns both in one file, as PEM. */
  public Path keyAndCertificate() {
    return certificate.keyAndCertificate();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket upstream = new Socket(server.getAddress(), server.getPort());
        run(() -> pass(client, upstream));
        run(() -> pass(upstream, client));
      }
    } catch (IOException e) {
      // closed
    }
  }

  /** Until one of both closes, or the client does not like the certificate. */
  private static void pass(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // closed from the other side
    }
  }

  private static void run(Runnable task) {
    Thread thread = new Thread(task, "tls-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try (certificate) {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
