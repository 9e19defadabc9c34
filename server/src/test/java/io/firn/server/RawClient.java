package io.firn.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/** A socket, and what is said on it byte for byte. Waits 60 s for an answer at most. */
public final class RawClient implements AutoCloseable {

  private static final int TIMEOUT_MILLIS = 60_000;

  private final Socket socket;

  /** Received, and not returned yet. */
  private @Nullable InputStream in;

  /** Connects. */
  public RawClient(InetSocketAddress address) {
    this(connect(address));
  }

  private static Socket connect(InetSocketAddress address) {
    try {
      Socket socket = new Socket();
      socket.connect(address, TIMEOUT_MILLIS);
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Speaks on a socket that is connected. */
  public RawClient(Socket socket) {
    this.socket = socket;
    try {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.setTcpNoDelay(true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends text of characters below 256, as so many bytes. */
  public RawClient send(String text) {
    return send(text.getBytes(ISO_8859_1));
  }

  /** Sends bytes. */
  public RawClient send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Says that nothing follows. */
  public RawClient endSending() {
    try {
      socket.shutdownOutput();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A read of the socket costs more than a line: it takes what is there. */
  private InputStream in() throws IOException {
    if (in == null) {
      in = new BufferedInputStream(socket.getInputStream());
    }
    return in;
  }

  /** Returns how many bytes can be received without waiting. */
  public int available() {
    try {
      return in().available();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Receives exactly this. */
  public RawClient expect(String text) {
    assertThat(receive(text.length())).isEqualTo(text);
    return this;
  }

  /** Receives so many bytes, or fewer if the server ends the connection. */
  public String receive(int length) {
    try {
      return new String(in().readNBytes(length), ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Receives a line, without its end. */
  public String line() {
    StringBuilder line = new StringBuilder();
    try {
      InputStream in = in();
      for (int next = in.read(); next != '\n' && next >= 0; next = in.read()) {
        line.append((char) next);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return line.toString().replaceFirst("\r$", "");
  }

  /** Receives all until the server ends the connection. */
  public String rest() {
    try {
      return new String(in().readAllBytes(), ISO_8859_1);
    } catch (SocketException e) {
      return "reset";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The socket itself; the methods of this class may have read more of it than they returned. */
  public Socket socket() {
    return socket;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
