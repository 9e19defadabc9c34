package io.firn.examples.boot4;

import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/orders")
class OrderController {

  private final Orders orders;

  OrderController(Orders orders) {
    this.orders = orders;
  }

  @GetMapping
  List<CustomerOrder> all() {
    return orders.findAll();
  }

  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  CustomerOrder place(@RequestBody CustomerOrder order) {
    return orders.save(order);
  }
}
