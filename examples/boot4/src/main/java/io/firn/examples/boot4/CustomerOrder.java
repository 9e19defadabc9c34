package io.firn.examples.boot4;

import static com.fasterxml.jackson.annotation.JsonFormat.Shape.STRING;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.firn.spring.FirnId;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;

// begin aggregate
record CustomerOrder(
    @Id @FirnId("orders") @JsonFormat(shape = STRING) @Nullable Long id,
    String customer,
    Set<Item> items) {}

record Item(
    @Id @FirnId("items") @JsonFormat(shape = STRING) @Nullable Long id,
    String product,
    int quantity) {}
// end
