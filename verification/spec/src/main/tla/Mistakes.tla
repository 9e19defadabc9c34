------------------------------ MODULE Mistakes ------------------------------
(***************************************************************************)
(* DELIBERATE MISTAKES: one run looks for all of them.                     *)
(*                                                                         *)
(* A module that extends this one chooses a mistake at the start of each   *)
(* behavior: `bug`, which never changes; "none" is the protocol.  A        *)
(* mistake is looked for until it is found.                                *)
(***************************************************************************)
EXTENDS TLC

ASSUME TLCSet(1, {})

IsFound(bug) == bug \in TLCGet(1)

\* An invariant that prints each mistake with which `holds` is violated.
Reported(bug, holds) ==
  holds \/ IsFound(bug) \/ (TLCSet(1, TLCGet(1) \cup {bug}) /\ PrintT(<<"found", bug>>))
=============================================================================
