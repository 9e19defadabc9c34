package io.firn.gates.planted.util;

/** In a package whose name says nothing, and that is not null-marked. */
class Tools {}
