package io.firn.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.firn.examples.JsonIds.IdAsString;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class JsonIdsTest {

  private static final long LARGE = (1L << 53) + 1;

  record Order(
      @IdAsString long id,
      @IdAsString Long parent,
      @IdAsString List<Long> lines,
      @IdAsString Map<String, Long> tags,
      long quantity) {}

  static final class Invoice {
    @IdAsString @JsonProperty private long id;
    private Long order;

    @IdAsString
    public Long getOrder() {
      return order;
    }

    public void setOrder(Long order) {
      this.order = order;
    }
  }

  /** One of the two Jacksons. */
  interface Json {
    String write(Object value) throws Exception;

    <T> T read(String text, Class<T> type) throws Exception;
  }

  static Stream<Json> jacksons() {
    return Stream.of(new Jackson2(), new Jackson3());
  }

  private record Jackson2(com.fasterxml.jackson.databind.ObjectMapper mapper) implements Json {
    Jackson2() {
      this(new com.fasterxml.jackson.databind.ObjectMapper());
    }

    @Override
    public String write(Object value) throws Exception {
      return mapper.writeValueAsString(value);
    }

    @Override
    public <T> T read(String text, Class<T> type) throws Exception {
      return mapper.readValue(text, type);
    }
  }

  private record Jackson3(tools.jackson.databind.ObjectMapper mapper) implements Json {
    Jackson3() {
      this(new tools.jackson.databind.ObjectMapper());
    }

    @Override
    public String write(Object value) {
      return mapper.writeValueAsString(value);
    }

    @Override
    public <T> T read(String text, Class<T> type) {
      return mapper.readValue(text, type);
    }
  }

  @ParameterizedTest
  @MethodSource("jacksons")
  void writesIdsAsStringsAndCountsAsNumbers(Json json) throws Exception {
    Order order = new Order(LARGE, 5L, List.of(LARGE, 2L), Map.of("first", LARGE), 7);
    assertThat(json.write(order))
        .isEqualTo(
            "{\"id\":\"9007199254740993\",\"parent\":\"5\","
                + "\"lines\":[\"9007199254740993\",\"2\"],"
                + "\"tags\":{\"first\":\"9007199254740993\"},\"quantity\":7}");
  }

  @ParameterizedTest
  @MethodSource("jacksons")
  void bothRecipesWriteTheSame(Json json) throws Exception {
    String expected = "{\"id\":\"117610173326504099\",\"quantity\":3}";
    assertThat(json.write(new JsonIds.Order(117610173326504099L, 3))).isEqualTo(expected);
    assertThat(json.write(new JsonIds.Parcel(117610173326504099L, 3))).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("jacksons")
  void readsWhatItWrote(Json json) throws Exception {
    Order order = new Order(LARGE, null, List.of(LARGE), Map.of("first", 1L), 7);
    assertThat(json.read(json.write(order), Order.class)).isEqualTo(order);
  }

  @ParameterizedTest
  @MethodSource("jacksons")
  void readsNumbersToo(Json json) throws Exception {
    Order read =
        json.read(
            "{\"id\":9007199254740993,\"parent\":\"6\",\"lines\":[1,\"2\"],"
                + "\"tags\":{\"first\":3},\"quantity\":7}",
            Order.class);
    assertThat(read).isEqualTo(new Order(LARGE, 6L, List.of(1L, 2L), Map.of("first", 3L), 7));
  }

  @ParameterizedTest
  @MethodSource("jacksons")
  void worksOnFieldsAndAccessors(Json json) throws Exception {
    Invoice invoice = new Invoice();
    invoice.id = LARGE;
    invoice.setOrder(5L);
    String written = json.write(invoice);
    assertThat(written).contains("\"id\":\"9007199254740993\"").contains("\"order\":\"5\"");
    Invoice read = json.read(written, Invoice.class);
    assertThat(read.id).isEqualTo(LARGE);
    assertThat(read.getOrder()).isEqualTo(5);
  }

  @ParameterizedTest
  @MethodSource("jacksons")
  void refusesWhatIsNoId(Json json) {
    assertThatThrownBy(() -> json.read("{\"id\":\"five\"}", Order.class))
        .hasMessageContaining("five");
  }
}
