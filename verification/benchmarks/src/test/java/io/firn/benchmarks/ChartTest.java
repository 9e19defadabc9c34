package io.firn.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.benchmarks.BarChart.Bar;
import io.firn.benchmarks.BarChart.Mark;
import io.firn.benchmarks.BarChart.Panel;
import io.firn.benchmarks.LineChart.Curve;
import io.firn.benchmarks.LineChart.Point;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ChartTest {

  private static Document parse(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }

  private static List<Element> elements(Document svg, String tag) {
    NodeList nodes = svg.getElementsByTagName(tag);
    List<Element> elements = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      elements.add((Element) nodes.item(i));
    }
    return elements;
  }

  private static Bar bar(String label, double value, double low, double high) {
    return new Bar(label, value, low, high, label.startsWith("Firn"), "" + value);
  }

  private static String barChart(List<Bar> bars, Optional<Mark> mark) {
    return new BarChart("Title", List.of(new Panel("Panel", bars, mark)), List.of("a note")).svg();
  }

  @Test
  void barsHaveTheLengthOfTheirValues() throws Exception {
    Document svg =
        parse(
            barChart(
                List.of(bar("Firn", 50, 40, 60), bar("peer", 25, 25, 25), bar("none", 0, 0, 0)),
                Optional.of(new Mark(100, "limit"))));
    assertThat(elements(svg, "rect"))
        .extracting(rect -> rect.getAttribute("class") + " " + rect.getAttribute("width"))
        .containsExactly("track 368", "ours 184", "track 368", "peer 92", "track 368", "peer 0");
    assertThat(elements(svg, "line"))
        .extracting(line -> line.getAttribute("class"))
        .as("a spread where there is one, and the mark")
        .containsExactly("spread", "mark");
    Element mark = elements(svg, "line").get(1);
    assertThat(mark.getAttribute("x1")).isEqualTo("632").isEqualTo(mark.getAttribute("x2"));
  }

  @Test
  void pictureNamesItselfToScreenReadersAndLoadsNothing() throws Exception {
    String text = barChart(List.of(bar("Firn", 2, 1, 3)), Optional.of(new Mark(4, "limit: 4")));
    Document svg = parse(text);
    Element root = svg.getDocumentElement();
    assertThat(root.getAttribute("role")).isEqualTo("img");
    assertThat(root.getAttribute("aria-labelledby")).isEqualTo("title desc");
    assertThat(elements(svg, "title")).singleElement().returns("Title", Element::getTextContent);
    assertThat(elements(svg, "desc"))
        .singleElement()
        .returns("Panel: limit: 4; Firn 2.0;", Element::getTextContent);
    assertThat(text)
        .contains("prefers-color-scheme: dark")
        .doesNotContain("url(", "@import", "href", "@font-face");
  }

  @Test
  void namesAreEscaped() throws Exception {
    String name = "<b> & \"it\" 'too' \u4e2d \ud83d\ude00";
    Document svg = parse(barChart(List.of(bar(name, 1, 1, 1)), Optional.empty()));
    assertThat(elements(svg, "text")).extracting(Element::getTextContent).contains(name);
    Document odd = parse(barChart(List.of(bar("\0 \ud800 \uffff", 1, 1, 1)), Optional.empty()));
    assertThat(elements(odd, "text"))
        .extracting(Element::getTextContent)
        .contains("\ufffd \ufffd \ufffd");
  }

  @Test
  void barsThatCannotBeDrawnAreRefused() {
    double[][] bad = {
      {Double.NaN, 0, 1}, {1, 0, Double.POSITIVE_INFINITY}, {-1, -1, 1}, {1, 2, 3}, {3, 1, 2}
    };
    for (double[] each : bad) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> bar("odd", each[0], each[1], each[2]))
          .withMessageStartingWith("bar: odd ")
          .withMessageEndingWith("(expected: finite, not negative, in this order)");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Svg.number(Double.NaN))
        .withMessage("coordinate: NaN (expected: a finite number)");
  }

  @Test
  void extremeBarsStayInTheirTracks() throws Exception {
    for (double most : new double[] {0, 1e-300, 1e300}) {
      Document svg =
          parse(barChart(List.of(bar("a", most, 0, most), bar("b", 0, 0, 0)), Optional.empty()));
      assertThat(elements(svg, "rect"))
          .allSatisfy(
              rect ->
                  assertThat(Double.parseDouble(rect.getAttribute("width"))).isBetween(0.0, 400.0));
    }
  }

  private static LineChart lines(Curve... curves) {
    return new LineChart("Title", "workers", "ms", List.of(curves));
  }

  @Test
  void curveThatIsLinearClimbsADecadeInADecade() throws Exception {
    Document svg =
        parse(
            lines(
                    new Curve("linear", List.of(new Point(1, 0.1), new Point(1000, 100))),
                    new Curve("flat", List.of(new Point(1, 1), new Point(1000, 1))))
                .svg());
    List<String> curves =
        elements(svg, "path").stream()
            .filter(path -> path.getAttribute("class").startsWith("curve"))
            .map(path -> path.getAttribute("d"))
            .toList();
    assertThat(curves).containsExactly("M70 400 L570 76", "M70 292 L570 292");
    assertThat(elements(svg, "text"))
        .extracting(Element::getTextContent)
        .contains("1", "10", "100", "1 k", "0.1", "linear", "flat", "workers", "ms");
    assertThat(elements(svg, "desc").get(0).getTextContent())
        .contains("linear: 0.10 at 1.00 to 100 at 1,000");
  }

  @Test
  void namesOfCurvesThatEndTogetherDoNotOverlap() throws Exception {
    Curve[] curves = new Curve[9];
    for (int i = 0; i < curves.length; i++) {
      curves[i] = new Curve("curve " + i, List.of(new Point(1, 5), new Point(10, 1)));
    }
    List<Double> places =
        elements(parse(lines(curves).svg()), "text").stream()
            .filter(text -> text.getTextContent().startsWith("curve "))
            .map(text -> Double.parseDouble(text.getAttribute("y")))
            .sorted()
            .toList();
    assertThat(places).hasSize(9);
    for (int i = 1; i < places.size(); i++) {
      assertThat(places.get(i) - places.get(i - 1)).isGreaterThanOrEqualTo(17);
    }
    assertThat(places.get(8)).isLessThanOrEqualTo(405);
  }

  @Test
  void extremeCurvesStayInTheirFrame() throws Exception {
    Document svg =
        parse(
            lines(
                    new Curve("one point", List.of(new Point(7, 7))),
                    new Curve("wide", List.of(new Point(1e-300, 1e300), new Point(1e300, 1e-9))))
                .svg());
    assertThat(elements(svg, "line").size()).isLessThan(30);
    assertThat(elements(svg, "path"))
        .filteredOn(path -> path.getAttribute("class").startsWith("curve"))
        .extracting(path -> path.getAttribute("d"))
        .last()
        .asString()
        .startsWith("M70 76");
  }

  @Test
  void pointsThatALogarithmDoesNotHaveAreRefused() {
    for (double bad : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Point(1, bad))
          .withMessage(
              "point: 1.0, " + bad + " (expected: finite and positive, the axes are logarithmic)");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Curve("empty", List.of()))
        .withMessage("curve: empty (expected: at least one point)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lines())
        .withMessage("curves: none (expected: at least one)");
  }
}
