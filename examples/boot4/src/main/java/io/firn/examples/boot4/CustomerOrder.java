package io.firn.examples.boot4;

import io.firn.jackson.IdAsString;
import io.firn.spring.NextId;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;

// begin aggregate
record CustomerOrder(
    @Id @NextId("orders") @IdAsString @Nullable Long id, String customer, Set<Item> items) {}

record Item(@Id @NextId("items") @IdAsString @Nullable Long id, String product, int quantity) {}
// end
