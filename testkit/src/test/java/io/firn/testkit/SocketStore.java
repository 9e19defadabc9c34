package io.firn.testkit;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A store at a {@link LineServer}: the least that keeps the contract, or just does not. */
final class SocketStore implements RegisterStore {

  static final int TIMEOUT_MILLIS = 2_000;

  /** The fault of a client. */
  enum Fault {
    NONE,
    /** Sends a write again whose reply was lost, as client libraries do. */
    WRITES_AGAIN,
    CALLS_LOST_REPLIES_FAILURES,
    CALLS_LOST_REPLIES_CONFLICTS,
    CALLS_LOST_REPLIES_APPLIED,
    KEEPS_A_DEAD_CONNECTION,
    WAITS_FOR_EVER,
    /** Says that a register is not there when the server is not. */
    READS_NOTHING_WITHOUT_A_SERVER,
    CONNECTS_WHEN_OPENED,
    /** Reads what it has read before, now and then. */
    READS_FROM_A_CACHE,
    /** Takes any version for the expected one, now and then. */
    OVERWRITES,
    /** Finds a conflict where there is none, now and then. */
    CONFLICTS_FOR_NOTHING,
    CONNECTS_WHEN_CLOSED
  }

  private final InetSocketAddress server;
  private final Fault fault;
  private final Map<String, Optional<Register>> cache = new HashMap<>();
  private Socket socket = new Socket();
  private BufferedReader in;
  private int calls;
  private boolean closed;

  SocketStore(InetSocketAddress server, Fault fault) {
    this.server = server;
    this.fault = fault;
    if (fault == Fault.CONNECTS_WHEN_OPENED) {
      scan("nothing");
    }
  }

  /** Returns the server's answer to a request, over a store in memory. */
  static String answer(RegisterStore registers, String request) {
    List<String> words = decode(request);
    return switch (words.get(0)) {
      case "read" -> encode(registers.read(words.get(1)).stream().toList());
      case "scan" -> encode(registers.scan(words.get(1)));
      default ->
          ""
              + registers
                  .compareAndSet(words.get(1), Long.parseLong(words.get(2)), words.get(3))
                  .version();
    };
  }

  private static String encode(List<Register> registers) {
    return registers.stream()
        .map(register -> encode(register.name(), "" + register.version(), register.value()))
        .collect(Collectors.joining("&"));
  }

  private static String encode(String... words) {
    return List.of(words).stream()
        .map(word -> URLEncoder.encode(word, StandardCharsets.UTF_8))
        .collect(Collectors.joining("="));
  }

  private static List<String> decode(String line) {
    return List.of(line.split("=", -1)).stream()
        .map(word -> URLDecoder.decode(word, StandardCharsets.UTF_8))
        .toList();
  }

  private static List<Register> registers(String line) {
    List<Register> registers = new ArrayList<>();
    for (String register : line.isEmpty() ? new String[0] : line.split("&", -1)) {
      List<String> words = decode(register);
      registers.add(new Register(words.get(0), Long.parseLong(words.get(1)), words.get(2)));
    }
    return registers;
  }

  @Override
  public synchronized Optional<Register> read(String name) {
    Register.requireName(name);
    if (fault == Fault.READS_FROM_A_CACHE && ++calls % 3 == 0 && cache.containsKey(name)) {
      return cache.get(name);
    }
    try {
      Optional<Register> read = registers(ask(encode("read", name))).stream().findFirst();
      cache.put(name, read);
      return read;
    } catch (IOException e) {
      if (fault == Fault.READS_NOTHING_WITHOUT_A_SERVER) {
        return Optional.empty();
      }
      throw failed(e);
    }
  }

  @Override
  public synchronized List<Register> scan(String prefix) {
    try {
      return registers(ask(encode("scan", prefix)));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  @Override
  public synchronized WriteResult compareAndSet(String name, long expectedVersion, String value) {
    Register.requireName(name);
    Register.requireValue(value);
    long expected = expectedVersion;
    if (fault == Fault.CONFLICTS_FOR_NOTHING && ++calls % 3 == 0) {
      return WriteResult.CONFLICT;
    }
    if (fault == Fault.OVERWRITES && ++calls % 3 == 0) {
      expected = read(name).map(Register::version).orElse(0L);
    }
    try {
      connect();
    } catch (IOException e) {
      throw failed(e);
    }
    String request = encode("write", name, "" + expected, value);
    try {
      return result(ask(request));
    } catch (IOException e) {
      return lost(request, e);
    }
  }

  private WriteResult lost(String request, IOException e) {
    return switch (fault) {
      case WRITES_AGAIN -> {
        try {
          yield result(ask(request));
        } catch (IOException again) {
          yield WriteResult.UNKNOWN;
        }
      }
      case CALLS_LOST_REPLIES_FAILURES -> throw failed(e);
      case CALLS_LOST_REPLIES_CONFLICTS -> WriteResult.CONFLICT;
      case CALLS_LOST_REPLIES_APPLIED -> WriteResult.applied(Long.MAX_VALUE);
      default -> WriteResult.UNKNOWN;
    };
  }

  private static WriteResult result(String reply) {
    long version = Long.parseLong(reply);
    return version == 0 ? WriteResult.CONFLICT : WriteResult.applied(version);
  }

  private void connect() throws IOException {
    if (closed && fault != Fault.CONNECTS_WHEN_CLOSED) {
      throw new IllegalStateException(
          "Store " + this + " is closed; close it after its generators");
    }
    if (socket.isConnected() && (!socket.isClosed() || fault == Fault.KEEPS_A_DEAD_CONNECTION)) {
      return;
    }
    socket.close();
    socket = new Socket();
    socket.setSoTimeout(fault == Fault.WAITS_FOR_EVER ? 0 : TIMEOUT_MILLIS);
    socket.connect(server, TIMEOUT_MILLIS);
    in = LineServer.reader(socket);
  }

  private String ask(String request) throws IOException {
    connect();
    try {
      LineServer.send(socket, request);
      String reply = in.readLine();
      if (reply == null) {
        throw new ConnectException("closed");
      }
      return reply;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private StoreException failed(IOException e) {
    return new StoreException("store: " + this + " (expected: an answer; " + e + ")", e);
  }

  @Override
  public synchronized void close() {
    closed = true;
    try {
      socket.close();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  @Override
  public String toString() {
    return "socket:" + server.getPort();
  }
}
