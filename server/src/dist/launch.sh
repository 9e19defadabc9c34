# shellcheck shell=sh
# Read by the launchers of a checkout and of the distribution: finds Java, has a class-data archive made,
# starts. They set `bundled`, the runtime beside them if there is one.

fail() {
  echo "firn: $1" >&2
  exit 1
}

# --- Which Java: the file `release` of a JDK tells without starting it -----------------------
if [ -n "${bundled-}" ] && [ -x "$bundled/bin/java" ]; then
  java=$bundled/bin/java
  home=$bundled
elif [ -n "${JAVA_HOME-}" ]; then
  java=$JAVA_HOME/bin/java
  [ -x "$java" ] || fail "JAVA_HOME: $JAVA_HOME (expected: the directory of a JDK 17 or newer)"
  home=$JAVA_HOME
else
  java=$(command -v java) || fail "java: none found (expected: 17 or newer, on the PATH or in JAVA_HOME)"
  home=$(readlink -f "$java" 2>/dev/null) || home=$java
  home=${home%/bin/java}
fi
java_version=
java_id=
if [ -r "$home/release" ]; then
  while IFS='=' read -r key value; do
    value=${value#\"}
    value=${value%\"}
    case $key in
      JAVA_VERSION) java_version=$value ;;
      IMPLEMENTOR | JAVA_RUNTIME_VERSION | OS_ARCH) java_id=$java_id-$value ;;
    esac
  done <"$home/release"
fi
if [ -z "$java_version" ]; then
  java_version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.version = //p')
  java_id=-$java_version
fi
java_major=${java_version#1.}
java_major=${java_major%%[!0-9]*}
[ "${java_major:-0}" -ge 17 ] ||
  fail "java: ${java_version:-unknown} (expected: 17 or newer, found at $java)"
# Letters, digits, dot, plus, minus and underscore only: it becomes a file name.
while :; do
  case $java_id in
    *[!A-Za-z0-9.+_-]*)
      rest=${java_id#*[!A-Za-z0-9.+_-]}
      java_id=${java_id%"[!A-Za-z0-9.+_-]$rest"}
      java_id=${java_id%"$rest"}
      java_id=${java_id%?}_$rest
      ;;
    *) break ;;
  esac
done

# --- A class-data archive shortens the start; everything works without it --------------------
# A static one: JDK 17 does not put picocli's classes, of an old class-file version, into a
# dynamic one, and not into a static one if they are linked, as lambdas of their types have them. An empty
# archive says that this JDK could not make one for this jar.
train() {
  "$java" -Xshare:off -XX:DumpLoadedClassList="$archive.lock/classes.$1" -jar "$jar" "$@" \
    >/dev/null 2>&1 </dev/null
}

archive() {
  # One that is ten minutes old is of a launcher that was killed.
  [ ! -d "$archive.lock" ] || [ -z "$(find "$archive.lock" -prune -mmin +10 2>/dev/null)" ] ||
    { mv "$archive.lock" "$archive.lock.$$" 2>/dev/null && rm -rf "$archive.lock.$$"; }
  [ -w "${jar%/*}" ] && mkdir "$archive.lock" 2>/dev/null || return 0
  trap 'rm -rf "$archive.lock"; exit 130' INT TERM HUP
  [ ! -t 2 ] || echo 'firn: preparing faster starts … (once; about ten seconds)' >&2
  # Nobody listens on port 1: these two load a client and fail.
  train workers --store 'redis://127.0.0.1:1'
  train segments --store 'jdbc:postgresql://127.0.0.1:1/firn'
  # The lists of JDK 21 and later number their classes, each from 0 on: the sum of them has no numbers.
  # Where the server cannot start, because of a variable or a port, the rest is worth an archive too.
  train serve --check --store "file:$archive.lock/store" --listen-http 127.0.0.1:0 \
    --listen-redis 127.0.0.1:0 --listen-thrift 127.0.0.1:0
  train --version && train --help && train next --store "file:$archive.lock/store" && train decode 1 &&
    awk '{ sub(/ id: [0-9]+$/, "") } !/^#| source: |^@lambda-proxy.*picocli/ && !seen[$0]++' "$archive.lock"/classes.* >"$archive.lock/classes" &&
    "$java" -Xshare:dump -XX:SharedClassListFile="$archive.lock/classes" \
      -XX:SharedArchiveFile="$archive.lock/new" -jar "$jar" >/dev/null 2>&1 </dev/null ||
    rm -f "$archive.lock/new"
  # Another launcher may have removed the lock meanwhile. Without "command" that would end this shell.
  [ -f "$archive.lock/new" ] || command : >"$archive.lock/new"
  mv -f "$archive.lock/new" "$archive" 2>/dev/null
  rm -rf "$archive.lock"
  trap - INT TERM HUP
}

# Starts the command line in $jar with the arguments, in place of this shell.
launch() {
  archive=${jar%/*}/firn$java_id.jsa
  [ "$archive" -nt "$jar" ] || archive
  # A command that ends at once has no use for the second compiler and the JVM's counters.
  case " $* " in
    *' serve '* | *' verify '* | *' disjoint '* | *' decode '* | *' -n'* | *' --count'*) set -- -jar "$jar" "$@" ;;
    *) set -- -XX:TieredStopAtLevel=1 -XX:-UsePerfData -jar "$jar" "$@" ;;
  esac
  # The JVM says nothing of an archive that it cannot use, and of the rest only errors, on stderr.
  # `verify` itself says what to do when memory runs out.
  case " $* " in
    *' verify '*) ;;
    *) set -- -XX:+ExitOnOutOfMemoryError "$@" ;;
  esac
  set -- -Xshare:auto -Xlog:disable '-Xlog:all=error,cds*=off:stderr' -XX:+UseSerialGC "$@"
  [ ! -s "$archive" ] || set -- -XX:SharedArchiveFile="$archive" "$@"
  # Java asks about standard input and output together; color is a matter of the output alone.
  [ ! -t 1 ] || [ -n "${NO_COLOR-}" ] || set -- -Dpicocli.ansi=true "$@"
  set -- "$java" "$@"
  # In the locale C, Java has no names for files beyond ASCII.
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-C}}} in
    C | POSIX) set -- env LC_ALL=C.UTF-8 "$@" ;;
  esac
  exec "$@"
}
