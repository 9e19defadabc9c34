package io.firn.spring.jpa;

import org.springframework.data.jpa.repository.JpaRepository;

interface Orders extends JpaRepository<Order, Long> {}
