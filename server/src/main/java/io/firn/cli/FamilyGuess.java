package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdParts;
import java.util.List;

/**
 * One reading of an ID.
 *
 * @param name the named layout
 * @param layout its bits
 * @param parts the ID's fields in it
 * @param score how plausible the reading is, only to be compared with others of the same ID
 * @param reasons what speaks for it or against it
 */
record FamilyGuess(
    String name, IdLayout layout, IdParts parts, double score, List<String> reasons) {}
