package io.firn.examples.boot4;

import org.springframework.data.repository.ListCrudRepository;

interface Orders extends ListCrudRepository<CustomerOrder, Long> {}
