package io.firn.simulation.world;

import io.firn.IdLayout;
import java.util.ArrayList;
import java.util.List;

/** Everything that there is in one run. */
public final class Cluster {

  private final Settings settings;
  private final World world;
  private final Scheme scheme;
  private final Judge judge;
  private Load load;
  private final Truth truth;
  private final Odds odds;
  private final IdLayout layout;
  private final Numbers random;
  private final List<Node> nodes = new ArrayList<>();
  private long downUntil;
  private long storeOffMillis;
  private long storeOffUntil;
  private long openUntil;

  public Cluster(
      Settings settings,
      World world,
      Scheme scheme,
      Judge judge,
      Load load,
      Ledger ledger,
      IdLayout layout) {
    this.settings = settings;
    this.world = world;
    this.scheme = scheme;
    this.judge = judge;
    this.load = load;
    this.layout = layout;
    truth = new Truth(world, ledger, settings.hasIdentity());
    odds = new Odds(settings.seed(), settings.scale().faults());
    random = Numbers.of(settings.seed(), -2);
    for (int i = 0; i < settings.scale().nodes(); i++) {
      nodes.add(new Node(this, "node-" + i, "node-" + i, i));
    }
  }

  public Settings settings() {
    return settings;
  }

  public World world() {
    return world;
  }

  Scheme scheme() {
    return scheme;
  }

  Judge judge() {
    return judge;
  }

  Load load() {
    return load;
  }

  public Truth truth() {
    return truth;
  }

  Odds odds() {
    return odds;
  }

  public IdLayout layout() {
    return layout;
  }

  public Numbers random() {
    return random;
  }

  public List<Node> nodes() {
    return nodes;
  }

  /** Starts a replacement of that node on another host. */
  Node replace(Node node) {
    Node twin = new Node(this, node + "b" + nodes.size(), node.instance(), node.index());
    nodes.add(twin);
    return twin;
  }

  void shutDownStore(long nanos) {
    downUntil = Math.max(downUntil, world.now() + nanos);
  }

  /** Sets the store's clock off, and right again some time later. */
  void setStoreClockOff(long millis, long nanos) {
    world.log("the store", "has a clock that is off by", millis, "ms");
    storeOffMillis = millis;
    storeOffUntil = world.now() + nanos;
  }

  /** Returns what the store's clock shows. */
  long storeMillis() {
    boolean off = world.now() < storeOffUntil && !odds.isRepaired();
    return world.trueMillis() + (off ? storeOffMillis : 0);
  }

  /** Returns by how much a reading of a clock is off: often as much as may be. */
  long clockErrorMillis() {
    if (!odds.strikes(Fault.CLOCK_ERROR, 1_000)) {
      return 0;
    }
    long most = settings.terms().skewMillis() / 2;
    Numbers random = odds.of(Fault.CLOCK_ERROR);
    return random.oneOf(-most, most, random.between(-most, most));
  }

  boolean isDown() {
    return downUntil > world.now();
  }

  /** Lets what repeats itself go on until then. */
  public void openUntil(long nanos) {
    openUntil = nanos;
  }

  public boolean isOpen() {
    return world.now() < openUntil;
  }

  /** Returns whether the faults are over. */
  public boolean isRepaired() {
    return odds.isRepaired();
  }

  /** Ends all faults, and what can wait. */
  public void repair(Load calm) {
    odds.repair();
    load = calm;
    downUntil = 0;
    nodes.forEach(Node::repair);
  }
}
