package io.firn.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The file system of this machine, in which each step that makes a write last is written down, and
 * can fail or wait before it is taken. A step is {@code force NAME}, {@code move NAME to NAME},
 * {@code close NAME}, or {@code access NAME} for a check of a right.
 */
final class WatchedFileSystem extends FileSystem {

  /** The action before a step. */
  interface Step {
    void before(String step) throws IOException, InterruptedException;
  }

  private final FileSystem files = FileSystems.getDefault();
  private final Provider provider = new Provider();
  private final List<String> steps = Collections.synchronizedList(new ArrayList<>());
  private volatile Step script = step -> {};

  /** Returns a path of this machine as one of this file system. */
  Path path(Path path) {
    return (Path)
        Proxy.newProxyInstance(
            Path.class.getClassLoader(),
            new Class<?>[] {Path.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getFileSystem" -> this;
                  case "equals" -> path.equals(plain(arguments[0]));
                  default -> {
                    Object[] plain = arguments == null ? new Object[0] : arguments.clone();
                    for (int i = 0; i < plain.length; i++) {
                      plain[i] = plain(plain[i]);
                    }
                    try {
                      Object result = method.invoke(path, plain);
                      yield result instanceof Path found ? path(found) : result;
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  }
                });
  }

  private static Object plain(Object path) {
    return path instanceof Path ? Path.of(path.toString()) : path;
  }

  private static Path plain(Path path) {
    return Path.of(path.toString());
  }

  /** Has this run before each step from now on. */
  void script(Step script) {
    this.script = script;
  }

  /** Returns the steps since this was called last. */
  List<String> takeSteps() {
    List<String> taken = List.copyOf(steps);
    steps.clear();
    return taken;
  }

  private void step(String step) throws IOException {
    try {
      script.before(step);
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
    steps.add(step);
  }

  private static String name(Path path) {
    return path.getFileName().toString();
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public void close() {}

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return files.getSeparator();
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return files.getRootDirectories();
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return files.getFileStores();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return files.supportedFileAttributeViews();
  }

  @Override
  public Path getPath(String first, String... more) {
    return path(files.getPath(first, more));
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    PathMatcher matcher = files.getPathMatcher(syntaxAndPattern);
    return path -> matcher.matches(plain(path));
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    return files.getUserPrincipalLookupService();
  }

  @Override
  public WatchService newWatchService() throws IOException {
    return files.newWatchService();
  }

  private final class Provider extends FileSystemProvider {

    private final FileSystemProvider system = files.provider();

    @Override
    public FileChannel newFileChannel(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
        throws IOException {
      Path plain = plain(path);
      return new Channel(name(plain), FileChannel.open(plain, options, attributes));
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
      String how = List.of(options).toString();
      step("move " + name(source) + " to " + name(target) + " " + how);
      Files.move(plain(source), plain(target), options);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
        Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
      DirectoryStream<Path> found =
          system.newDirectoryStream(plain(directory), file -> filter.accept(path(file)));
      return new DirectoryStream<>() {
        @Override
        public Iterator<Path> iterator() {
          List<Path> all = new ArrayList<>();
          found.forEach(file -> all.add(path(file)));
          return all.iterator();
        }

        @Override
        public void close() throws IOException {
          found.close();
        }
      };
    }

    @Override
    public SeekableByteChannel newByteChannel(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
        throws IOException {
      return system.newByteChannel(plain(path), options, attributes);
    }

    @Override
    public String getScheme() {
      return "watched";
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> settings) {
      return WatchedFileSystem.this;
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
      return WatchedFileSystem.this;
    }

    @Override
    public Path getPath(URI uri) {
      return path(Path.of(uri));
    }

    @Override
    public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
      system.createDirectory(plain(path), attributes);
    }

    @Override
    public void delete(Path path) throws IOException {
      system.delete(plain(path));
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
      system.copy(plain(source), plain(target), options);
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
      return system.isSameFile(plain(path), plain(other));
    }

    @Override
    public boolean isHidden(Path path) throws IOException {
      return system.isHidden(plain(path));
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
      return system.getFileStore(plain(path));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
      if (modes.length > 0) { // not whether it exists
        step("access " + name(path));
      }
      system.checkAccess(plain(path), modes);
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(
        Path path, Class<V> type, LinkOption... options) {
      return system.getFileAttributeView(plain(path), type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
        Path path, Class<A> type, LinkOption... options) throws IOException {
      return system.readAttributes(plain(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
        throws IOException {
      return system.readAttributes(plain(path), attributes, options);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options)
        throws IOException {
      system.setAttribute(plain(path), attribute, value, options);
    }
  }

  private final class Channel extends FileChannel {

    private final String name;
    private final FileChannel channel;

    Channel(String name, FileChannel channel) {
      this.name = name;
      this.channel = channel;
    }

    @Override
    public void force(boolean metaData) throws IOException {
      step("force " + name);
      channel.force(metaData);
    }

    @Override
    protected void implCloseChannel() throws IOException {
      channel.close();
      step("close " + name);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
      return channel.read(target);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
      return channel.read(targets, offset, length);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
      return channel.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
      return channel.write(sources, offset, length);
    }

    @Override
    public long position() throws IOException {
      return channel.position();
    }

    @Override
    public FileChannel position(long position) throws IOException {
      channel.position(position);
      return this;
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
      channel.truncate(size);
      return this;
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target)
        throws IOException {
      return channel.transferTo(position, count, target);
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count)
        throws IOException {
      return channel.transferFrom(source, position, count);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return channel.read(target, position);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
      return channel.write(source, position);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
      return channel.map(mode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
      return channel.lock(position, size, shared);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
      return channel.tryLock(position, size, shared);
    }
  }
}
