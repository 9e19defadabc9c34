package io.firn.spring.shop;

import org.springframework.data.jpa.repository.JpaRepository;

/** Saves orders. */
interface Orders extends JpaRepository<ShopApplication.Order, Long> {}
