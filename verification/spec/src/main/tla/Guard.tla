------------------------------- MODULE Guard --------------------------------
(***************************************************************************)
(* THE GUARD OF COMMITS: no transaction of a holder that was declared dead *)
(* commits after that.                                                     *)
(*                                                                         *)
(* The holder's keeper writes a text that was never written before into    *)
(* the guard, then renews the worker's register with a record that says    *)
(* so, and only then gives the text to transactions.  A transaction looks  *)
(* for its text under a shared lock that it keeps until it ends.  Who      *)
(* declares the holder dead reads the worker's register, then ends the     *)
(* guard, which waits for the locks, and then writes the worker's register *)
(* against the version that was read.                                      *)
(*                                                                         *)
(* There are no clocks: everyone may stand still between any two steps,    *)
(* for any time, and a holder may be declared dead at any moment.          *)
(*                                                                         *)
(* Invariant: NoRowMissed.                                                 *)
(*                                                                         *)
(* Bounds and the mutants that must fail: GuardSpecTest.                   *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Mistakes

CONSTANTS Transactions, Readers, MaxTexts, MaxVersion, Bugs

VARIABLES
  register,  \* of the worker: its version, whether it is held, and says that there is a guard
  guard,     \* the text of the guard; 0 if it has ended
  texts,     \* how many texts were written
  keeper,    \* the text that was written last, and the one that transactions are given
  lock,      \* the transactions that have the guard locked
  looker,    \* transaction -> what it is about to do
  reader,    \* reader -> what it is about to do
  missed,    \* whether a transaction committed after the holder was declared dead
  bug        \* the mistake of this run; one of Bugs

vars == <<register, guard, texts, keeper, lock, looker, reader, missed, bug>>

Bug(name) == bug = name
None == 0
Out == [phase |-> "none", text |-> None]
Rest == [step |-> "rest"]

Init ==
  /\ register = [version |-> 1, held |-> TRUE, guarded |-> FALSE]
  /\ guard = None
  /\ texts = 0
  /\ keeper = [written |-> None, open |-> None]
  /\ lock = {}
  /\ looker = [t \in Transactions |-> Out]
  /\ reader = [r \in Readers |-> Rest]
  /\ missed = FALSE
  /\ bug \in Bugs

-----------------------------------------------------------------------------
(* THE KEEPER *)

\* If there is none yet, or a transaction did not find it.  Waits for the locks.
Open ==
  /\ keeper.written = None /\ texts < MaxTexts /\ lock = {}
  /\ texts' = texts + 1
  /\ LET text == IF Bug("textRepeats") THEN 1 ELSE texts + 1 IN
     /\ guard' = text
     /\ keeper' = [written |-> text,
                   open |-> IF Bug("opensBeforeRenewal") THEN text ELSE keeper.open]
  /\ UNCHANGED <<register, lock, looker, reader, missed>>

\* With or without a guard; applied unless the holder was declared dead.
Renew ==
  /\ register.held /\ register.version < MaxVersion
  /\ register' = [register EXCEPT
       !.version = @ + 1,
       !.guarded = @ \/ (keeper.written # None /\ ~Bug("doesNotSaySo"))]
  /\ keeper' = [keeper EXCEPT !.open = keeper.written]
  /\ UNCHANGED <<guard, texts, lock, looker, reader, missed>>

-----------------------------------------------------------------------------
(* A TRANSACTION *)

Ask(t) ==
  /\ looker[t].phase = "none" /\ keeper.open # None
  /\ looker' = [looker EXCEPT ![t] = [phase |-> "asked", text |-> keeper.open]]
  /\ UNCHANGED <<register, guard, texts, keeper, lock, reader, missed>>

\* Locks the row and reads it, in one step of the database.
Look(t) ==
  /\ looker[t].phase = "asked"
  /\ IF guard = looker[t].text
     THEN /\ looker' = [looker EXCEPT ![t].phase = "found"]
          /\ lock' = IF Bug("lockNotKept") THEN lock ELSE lock \cup {t}
          /\ UNCHANGED keeper
     ELSE /\ looker' = [looker EXCEPT ![t] = Out]
          /\ keeper' = IF keeper.written = looker[t].text
                       THEN [written |-> None, open |-> None] ELSE keeper
          /\ UNCHANGED lock
  /\ UNCHANGED <<register, guard, texts, reader, missed>>

End(t) ==
  /\ looker[t].phase = "found"
  /\ looker' = [looker EXCEPT ![t] = Out]
  /\ lock' = lock \ {t}
  /\ UNCHANGED <<register, guard, texts, keeper, reader>>

Commit(t) == End(t) /\ missed' = (missed \/ ~register.held)
Rollback(t) == End(t) /\ UNCHANGED missed

-----------------------------------------------------------------------------
(* WHO DECLARES THE HOLDER DEAD *)

Becomes(r, next) ==
  /\ reader' = [reader EXCEPT ![r] = next]
  /\ UNCHANGED <<texts, keeper, looker, lock, missed>>

Read(r) ==
  /\ reader[r].step = IF Bug("endsBeforeReading") THEN "ended" ELSE "rest"
  /\ register.held
  /\ Becomes(r, [step |-> IF Bug("endsBeforeReading") THEN "declare"
                          ELSE IF register.guarded THEN "end" ELSE "declare",
                 version |-> register.version])
  /\ UNCHANGED <<register, guard>>

EndGuard(r) ==
  /\ reader[r].step = IF Bug("endsBeforeReading") THEN "rest" ELSE "end"
  /\ lock = {} \/ Bug("doesNotWait")
  /\ guard' = None
  /\ Becomes(r, IF Bug("endsBeforeReading") THEN [step |-> "ended"]
                ELSE [reader[r] EXCEPT !.step = "declare"])
  /\ UNCHANGED register

Declare(r) ==
  /\ reader[r].step = "declare"
  /\ register' = IF register.version = reader[r].version \/ Bug("declaresWithoutVersion")
                 THEN [register EXCEPT !.version = @ + 1, !.held = FALSE] ELSE register
  /\ Becomes(r, Rest)
  /\ UNCHANGED guard

Step ==
  \/ Open \/ Renew
  \/ \E t \in Transactions : Ask(t) \/ Look(t) \/ Commit(t) \/ Rollback(t)
  \/ \E r \in Readers : Read(r) \/ EndGuard(r) \/ Declare(r)

Next == Step /\ UNCHANGED bug
Spec == Init /\ [][Next]_vars
Bounded == register.version <= MaxVersion + 1 /\ ~IsFound(bug)
Symmetry == Permutations(Transactions) \cup Permutations(Readers)

-----------------------------------------------------------------------------
NoRowMissed == ~missed

Report == Reported(bug, NoRowMissed)
=============================================================================
