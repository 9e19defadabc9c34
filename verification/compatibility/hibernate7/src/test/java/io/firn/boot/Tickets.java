package io.firn.boot;

import org.springframework.data.jpa.repository.JpaRepository;

interface Tickets extends JpaRepository<Ticket, Long> {}
