package io.firn.gates.planted;

/** Public, with a name that says nothing, a getter, and nothing hidden. */
public class DefaultThing extends Exception {
  private static final long serialVersionUID = 1L;

  public int getSize() {
    return 0;
  }

  /** Not a violation: the JDK chose the name. */
  @Override
  public String getMessage() {
    return "";
  }

  /** Public, but for nobody. */
  static class Hidden {
    public int getSize() {
      return 0;
    }

    /** Public in a hidden class. */
    public static class InHidden {}
  }

  private static class Secret {}

  Object secret() {
    return new Secret();
  }
}
