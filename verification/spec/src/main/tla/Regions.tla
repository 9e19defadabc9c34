------------------------------ MODULE Regions -------------------------------
(***************************************************************************)
(* REGIONS WITHOUT A LINK: no tick of a worker is used under two stores.   *)
(*                                                                         *)
(* Each store lists the datacenters that are at home there.  An operator   *)
(* moves a datacenter from store a to store b: the change writes the list  *)
(* of a without it, and then reads the registers of its workers.  Once the *)
(* clock has passed all their fences by Grace, the list of b gets the      *)
(* datacenter.  The operator may stop between any two steps, and begin     *)
(* again.                                                                  *)
(*                                                                         *)
(* A process reads the list, writes the register of its worker, reads the  *)
(* list again, and only then uses the window that it has written.  Where   *)
(* the store has an identity (Bound), the write is bound to the list that  *)
(* was read, and nothing is read after it.  A process may stand still      *)
(* between any two steps, for any time.                                    *)
(*                                                                         *)
(* The model has one worker of the datacenter that moves.  A window begins *)
(* at the fence or later, and at the store's clock or later.  Clocks       *)
(* differ by at most Error.  That windows of one store are disjoint is     *)
(* checked in Lease.tla; here a write of a register is one step, and its   *)
(* result is known.                                                        *)
(*                                                                         *)
(* Invariant: Apart.  Bounds and the mutants that must fail:               *)
(* RegionsSpecTest.                                                        *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Mistakes

CONSTANTS Processes, Horizon, Error, Grace, MaxChanges, Bound, Bugs

VARIABLES
  now,      \* the right time
  home,     \* store -> whether it lists the datacenter
  changes,  \* store -> how often its list was written
  fence,    \* store -> the fence in its register of the worker
  held,     \* store -> whether that register is held, or was given back
  writer,   \* process -> what it is about to do
  used,     \* store -> the ticks that may be used under it
  operator, \* what the operator is about to do
  bug       \* the mistake of this run; one of Bugs

vars == <<now, home, changes, fence, held, writer, used, operator, bug>>

Bug(name) == bug = name
Max(a, b) == IF a > b THEN a ELSE b
Stores == {"a", "b"}
Other(s) == IF s = "a" THEN "b" ELSE "a"
Rest == [step |-> "rest"]

Init ==
  /\ now = 0
  /\ home = [s \in Stores |-> s = "a"]
  /\ changes = [s \in Stores |-> 0]
  /\ fence = [s \in Stores |-> 0]
  /\ held = [s \in Stores |-> FALSE]
  /\ writer = [p \in Processes |-> Rest]
  /\ used = [s \in Stores |-> {}]
  /\ operator = Rest
  /\ bug \in Bugs

\* What the clock of a store may show.
Clocks == now .. now + Error

Tick ==
  /\ now < Horizon
  /\ now' = now + 1
  /\ UNCHANGED <<home, changes, fence, held, writer, used, operator>>

-----------------------------------------------------------------------------
(* PROCESSES *)

\* Reads the list, to choose a worker.
Choose(p, s) ==
  /\ writer[p].step = "rest"
  /\ home[s]
  /\ writer' = [writer EXCEPT ![p] = [step |-> "chosen", store |-> s, seen |-> changes[s]]]
  /\ UNCHANGED <<now, home, changes, fence, held, used, operator>>

\* A lease stays held; a block is given back by the same write.
Write(p) ==
  /\ writer[p].step = "chosen"
  /\ LET s == writer[p].store IN
     IF Bound /\ writer[p].seen # changes[s] /\ ~Bug("notBound")
     THEN writer' = [writer EXCEPT ![p] = Rest] /\ UNCHANGED <<fence, held>>
     ELSE \E clock \in Clocks, lease \in BOOLEAN :
          \E to \in Max(fence[s], clock) + 1 .. Horizon :
            /\ fence' = [fence EXCEPT ![s] = to]
            /\ held' = [held EXCEPT ![s] = lease]
            /\ writer' = [writer EXCEPT ![p] =
                 [step |-> "written", store |-> s, from |-> Max(fence[s], clock), to |-> to]]
  /\ UNCHANGED <<now, home, changes, used, operator>>

\* Reads the list again, and uses the window if the datacenter is still in it.
Use(p) ==
  /\ writer[p].step = "written"
  /\ LET own == writer[p] IN
     IF home[own.store] \/ Bound \/ Bug("listNotReadAgain")
     THEN used' = [used EXCEPT ![own.store] = @ \cup (own.from .. own.to - 1)]
     ELSE UNCHANGED used
  /\ writer' = [writer EXCEPT ![p] = Rest]
  /\ UNCHANGED <<now, home, changes, fence, held, operator>>

-----------------------------------------------------------------------------
(* THE OPERATOR, WHO MOVES THE DATACENTER *)

Lists(s, value) ==
  /\ changes[s] < MaxChanges
  /\ changes' = [changes EXCEPT ![s] = @ + 1]
  /\ home' = [home EXCEPT ![s] = value]

Becomes(next) ==
  /\ operator' = next
  /\ UNCHANGED <<now, fence, held, writer, used>>

Idle(s, clock) ==
  \/ fence[s] + (IF Bug("noGrace") THEN 0 ELSE Grace) <= clock
  \/ fence[s] = 0
  \/ Bug("blocksNotRead") /\ ~held[s]

\* Writes the list without the datacenter, also if an earlier run has written it.
Begin(s) ==
  /\ operator = Rest
  /\ s = "a" \/ Bug("comesBack")
  /\ ~home[Other(s)]
  /\ IF Bug("registersReadBefore")
     THEN /\ \E clock \in Clocks : Idle(s, clock)
          /\ Becomes([step |-> "remove", from |-> s])
          /\ UNCHANGED <<home, changes>>
     ELSE IF Bug("addedBeforeRemoved")
     THEN Lists(Other(s), TRUE) /\ Becomes([step |-> "remove", from |-> s])
     ELSE Lists(s, FALSE) /\ Becomes([step |-> "read", from |-> s])

\* Of mutants only.
Remove ==
  /\ operator.step = "remove"
  /\ Lists(operator.from, FALSE)
  /\ Becomes(IF Bug("addedBeforeRemoved") THEN Rest ELSE [operator EXCEPT !.step = "add"])

Read ==
  /\ operator.step = "read"
  /\ \E clock \in Clocks :
       Becomes(IF Idle(operator.from, clock) THEN [operator EXCEPT !.step = "add"] ELSE Rest)
  /\ UNCHANGED <<home, changes>>

Add ==
  /\ operator.step = "add"
  /\ Lists(Other(operator.from), TRUE)
  /\ Becomes(Rest)

Stop ==
  /\ operator.step # "rest"
  /\ Becomes(Rest)
  /\ UNCHANGED <<home, changes>>

\* Store a goes back to the list that it had before the change.
Forget ==
  /\ Bug("listForgotten")
  /\ ~home["a"] /\ home["b"]
  /\ Lists("a", TRUE)
  /\ Becomes(operator)

Step ==
  \/ Tick
  \/ \E p \in Processes :
       \/ \E s \in Stores : Choose(p, s)
       \/ Write(p) \/ Use(p)
  \/ \E s \in Stores : Begin(s)
  \/ Remove \/ Read \/ Add \/ Stop \/ Forget

Next == Step /\ UNCHANGED bug
Spec == Init /\ [][Next]_vars
Symmetry == Permutations(Processes)

-----------------------------------------------------------------------------
Apart == used["a"] \cap used["b"] = {}

Report == Reported(bug, Apart)
Bounded == now <= Horizon /\ ~IsFound(bug)
=============================================================================
