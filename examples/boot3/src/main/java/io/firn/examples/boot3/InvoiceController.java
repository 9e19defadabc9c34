package io.firn.examples.boot3;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.firn.IdGenerator;
import java.util.List;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/invoices")
class InvoiceController {

  record Invoice(
      @JsonFormat(shape = JsonFormat.Shape.STRING) long id, long number, String customer) {}

  private final JdbcTemplate database;

  // begin named
  private final IdGenerator ids;
  private final IdGenerator numbers;

  InvoiceController(
      JdbcTemplate database, IdGenerator ids, @Qualifier("invoices") IdGenerator numbers) {
    this.database = database;
    this.ids = ids;
    this.numbers = numbers;
  }

  // end

  @PostMapping
  Invoice write(@RequestParam String customer) {
    Invoice invoice = new Invoice(ids.nextId(), numbers.nextId(), customer);
    database.update(
        "INSERT INTO invoice (id, number, customer) VALUES (?, ?, ?)",
        invoice.id(),
        invoice.number(),
        invoice.customer());
    return invoice;
  }

  @GetMapping
  List<Invoice> all() {
    return database.query(
        "SELECT id, number, customer FROM invoice ORDER BY number",
        DataClassRowMapper.newInstance(Invoice.class));
  }
}
