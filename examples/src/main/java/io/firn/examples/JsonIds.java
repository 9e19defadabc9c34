package io.firn.examples;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonFormat;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Records whose IDs Jackson 2 and Jackson 3 write as strings. */
final class JsonIds {

  private JsonIds() {}

  // begin field
  record Parcel(@JsonFormat(shape = JsonFormat.Shape.STRING) long id, int quantity) {}

  // end

  // begin annotation
  @Retention(RetentionPolicy.RUNTIME)
  @JacksonAnnotationsInside
  @JsonFormat(shape = JsonFormat.Shape.STRING)
  @interface IdAsString {}

  record Order(@IdAsString long id, int quantity) {}
  // end
}
