package io.firn.gates.planted.segment;

/** Stands beside what it builds. */
public class StepBuilder {}
