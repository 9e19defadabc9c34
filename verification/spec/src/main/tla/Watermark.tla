----------------------------- MODULE Watermark ------------------------------
(***************************************************************************)
(* THE SAFE WATERMARK: no row with an ID below a watermark that was told   *)
(* commits after that.                                                     *)
(*                                                                         *)
(* A process acquires a worker, reads the floor, and begins there or       *)
(* later.  Its threads write rows in scopes: read the word, enter the set  *)
(* of open scopes, draw, check, commit, close.  Its keeper moves the word  *)
(* up, looks at one scope after the other (it gives up some that are not   *)
(* being committed), and publishes the smallest of what it saw as the low  *)
(* mark of its register.  A reader raises the floor, reads one register    *)
(* after the other, and tells the smallest of the floor and the low marks  *)
(* of held workers.  A holder that is gone is declared dead by a write of  *)
(* its register; the model assumes that such a holder commits nothing any  *)
(* more (the product refuses commits before the fence, and waits a grace   *)
(* after it).                                                              *)
(*                                                                         *)
(* There are no clocks: where the protocol says now, any tick will do.     *)
(* That windows are disjoint is checked in Lease.tla; here a write of a    *)
(* register is one step, and its result is known.                          *)
(*                                                                         *)
(* Invariants: NoRowMissed; Quiet: no live process has drawn, or can draw, *)
(* an ID below what was told and may still commit it.                      *)
(*                                                                         *)
(* Bounds and the mutants that must fail: WatermarkSpecTest.               *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Mistakes

CONSTANTS Processes, Threads, Workers, Nobody, Window, Horizon, MaxCrashes, Bugs

VARIABLES
  floor,     \* who acquires begins here or later
  register,  \* worker -> holder, whether it holds, low mark, fence
  told,      \* the watermark: every ID below it
  missed,    \* whether a row below it committed after that
  crashes,
  stage,     \* process -> "idle", "asked", "acquired", "live" or "gone"
  grant,     \* process -> the worker and the fence; "asked": what was seen
  word,      \* process -> nothing below it is drawn from now on
  scope,     \* process, thread -> the scope of a transaction
  keeper,    \* process -> what its keeper is about to do
  reader,    \* what the reader is about to do
  bug        \* the mistake of this run; one of Bugs

process == <<stage, grant, word>>
vars == <<floor, register, told, missed, crashes, process, scope, keeper, reader, bug>>

Bug(name) == bug = name
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Ticks == 0 .. Horizon
NoGrant == [worker |-> Nobody, fence |-> 0]
NoScope == [phase |-> "none", bound |-> 0, tick |-> 0]
Rest == [step |-> "rest"]

Init ==
  /\ floor = 0
  /\ register = [w \in Workers |-> [holder |-> Nobody, held |-> FALSE, low |-> 0, fence |-> 0]]
  /\ told = 0
  /\ missed = FALSE
  /\ crashes = 0
  /\ stage = [p \in Processes |-> "idle"]
  /\ grant = [p \in Processes |-> NoGrant]
  /\ word = [p \in Processes |-> 0]
  /\ scope = [p \in Processes |-> [t \in Threads |-> NoScope]]
  /\ keeper = [p \in Processes |-> Rest]
  /\ reader = Rest
  /\ bug \in Bugs

-----------------------------------------------------------------------------
(* ACQUIRE *)

Ask(p, w) ==
  /\ stage[p] = "idle"
  /\ ~register[w].held \/ (Bug("takesOverHeld") /\ register[w].holder # p)
  /\ stage' = [stage EXCEPT ![p] = "asked"]
  /\ grant' = [grant EXCEPT ![p] =
       [worker |-> w, fence |-> 0, seen |-> register[w], floor |-> floor]]
  /\ UNCHANGED <<floor, register, told, missed, crashes, word, scope, keeper, reader>>

Acquire(p) ==
  /\ stage[p] = "asked"
  /\ LET w == grant[p].worker IN
     IF register[w] # grant[p].seen
     THEN /\ stage' = [stage EXCEPT ![p] = "idle"]
          /\ grant' = [grant EXCEPT ![p] = NoGrant]
          /\ UNCHANGED <<register, word>>
     ELSE \E now \in Ticks :
          LET begin == Max(Max(now, register[w].fence), word[p])
              fence == Min(begin + Window, Horizon + 1)
              seen == IF Bug("floorReadBefore") THEN grant[p].floor ELSE 0
          IN /\ begin <= Horizon
             /\ register' = [register EXCEPT ![w] =
                  [holder |-> p, held |-> TRUE, low |-> begin, fence |-> fence]]
             /\ word' = [word EXCEPT ![p] = Max(begin, seen)]
             /\ grant' = [grant EXCEPT ![p] = [worker |-> w, fence |-> fence]]
             /\ stage' = [stage EXCEPT ![p] =
                  IF Bug("floorReadBefore") \/ Bug("floorNotRead") THEN "live" ELSE "acquired"]
  /\ UNCHANGED <<floor, told, missed, crashes, scope, keeper, reader>>

ReadFloor(p) ==
  /\ stage[p] = "acquired"
  /\ word' = [word EXCEPT ![p] = Max(@, floor)]
  /\ stage' = [stage EXCEPT ![p] = "live"]
  /\ UNCHANGED <<floor, register, told, missed, crashes, grant, scope, keeper, reader>>

-----------------------------------------------------------------------------
(* A TRANSACTION *)

Becomes(p, t, next) ==
  /\ scope' = [scope EXCEPT ![p][t] = next]
  /\ UNCHANGED <<floor, register, told, crashes, stage, grant, keeper, reader>>

Moves(p, t, from, to) ==
  /\ scope[p][t].phase = from
  /\ Becomes(p, t, [scope[p][t] EXCEPT !.phase = to])

ReadWord(p, t) ==
  /\ stage[p] = "live"
  /\ scope[p][t].phase = "none"
  /\ Becomes(p, t, [phase |-> "begun", bound |-> word[p], tick |-> 0])
  /\ UNCHANGED <<missed, word>>

Enter(p, t) ==
  /\ IF Bug("entersLate") THEN Moves(p, t, "outside", "drawn") ELSE Moves(p, t, "begun", "open")
  /\ UNCHANGED <<missed, word>>

Draw(p, t) ==
  /\ stage[p] = "live"
  /\ scope[p][t].phase = IF Bug("entersLate") THEN "begun" ELSE "open"
  /\ \E tick \in Ticks :
       /\ tick >= word[p] /\ tick < grant[p].fence
       /\ word' = [word EXCEPT ![p] = tick]
       /\ Becomes(p, t, [scope[p][t] EXCEPT !.tick = tick,
                         !.phase = IF Bug("entersLate") THEN "outside" ELSE "drawn"])
  /\ UNCHANGED missed

\* From here on the keeper keeps the scope, whatever its age.
Check(p, t) ==
  /\ stage[p] = "live"
  /\ Moves(p, t, "drawn", IF Bug("closesBeforeCommit") THEN "closed" ELSE "committing")
  /\ UNCHANGED <<missed, word>>

Commit(p, t) ==
  /\ scope[p][t].phase \in {"committing", "closed"} \cup
       (IF Bug("commitsGivenUp") THEN {"givenUp"} ELSE {})
  /\ missed' = (missed \/ scope[p][t].tick < told)
  /\ Becomes(p, t, IF scope[p][t].phase = "committing"
                   THEN [scope[p][t] EXCEPT !.phase = "committed"] ELSE NoScope)
  /\ UNCHANGED word

Close(p, t) ==
  /\ scope[p][t].phase \in {"open", "committed", "givenUp"}
  /\ Becomes(p, t, NoScope)
  /\ UNCHANGED <<missed, word>>

-----------------------------------------------------------------------------
(* THE KEEPER *)

IsKept(s) == s.phase \in {"open", "drawn", "committing", "committed"}

Move(p) ==
  /\ stage[p] = "live"
  /\ keeper[p].step = IF Bug("looksBeforeMove") THEN "looked" ELSE "rest"
  /\ \E now \in Ticks :
       LET to == Min(Max(word[p], now), Max(word[p], grant[p].fence))
           low == IF Bug("looksBeforeMove") THEN Min(to, keeper[p].low) ELSE to
       IN /\ word' = IF Bug("lowWithoutMove") THEN word ELSE [word EXCEPT ![p] = to]
          /\ keeper' = [keeper EXCEPT ![p] =
               IF Bug("looksBeforeMove") THEN [step |-> "publish", low |-> low]
               ELSE [step |-> "look", low |-> low, left |-> Threads]]
  /\ UNCHANGED <<floor, register, told, missed, crashes, stage, grant, scope, reader>>

StartLook(p) ==
  /\ Bug("looksBeforeMove") /\ stage[p] = "live" /\ keeper[p].step = "rest"
  /\ keeper' = [keeper EXCEPT ![p] = [step |-> "look", low |-> Horizon, left |-> Threads]]
  /\ UNCHANGED <<floor, register, told, missed, crashes, process, scope, reader>>

Seen(p, t, low) ==
  LET left == keeper[p].left \ {t} IN
  keeper' = [keeper EXCEPT ![p] =
    IF left # {} THEN [step |-> "look", low |-> low, left |-> left]
    ELSE [step |-> IF Bug("looksBeforeMove") THEN "looked" ELSE "publish", low |-> low]]

LookAt(p, t) ==
  /\ keeper[p].step = "look" /\ t \in keeper[p].left
  /\ \/ /\ Seen(p, t, IF IsKept(scope[p][t]) /\ ~Bug("scopeNotKept")
                      THEN Min(keeper[p].low, scope[p][t].bound) ELSE keeper[p].low)
        /\ UNCHANGED scope
     \/ /\ scope[p][t].phase \in {"open", "drawn"} \cup
             (IF Bug("givesUpCommitting") THEN {"committing"} ELSE {})
        /\ Seen(p, t, keeper[p].low)
        /\ scope' = IF Bug("givesUpCommitting") THEN scope
                    ELSE [scope EXCEPT ![p][t].phase = "givenUp"]
  /\ UNCHANGED <<floor, register, told, missed, crashes, process, reader>>

Publish(p) ==
  /\ keeper[p].step = "publish"
  /\ LET w == grant[p].worker IN
     IF register[w].holder = p /\ register[w].held
     THEN LET fence == Min(Max(grant[p].fence, word[p] + Window), Horizon + 1)
          IN /\ register' = [register EXCEPT ![w].low = Max(@, keeper[p].low), ![w].fence = fence]
             /\ grant' = [grant EXCEPT ![p].fence = fence]
             /\ UNCHANGED stage
     ELSE \* declared dead: it draws and commits nothing any more
          /\ stage' = [stage EXCEPT ![p] = "gone"]
          /\ UNCHANGED <<register, grant>>
  /\ keeper' = [keeper EXCEPT ![p] = Rest]
  /\ UNCHANGED <<floor, told, missed, crashes, word, scope, reader>>

Release(p) ==
  /\ stage[p] = "live" /\ keeper[p] = Rest
  /\ Bug("releasesWithOpenScope") \/ \A t \in Threads : scope[p][t].phase = "none"
  /\ LET w == grant[p].worker IN
     /\ register[w].holder = p /\ register[w].held
     /\ register' = [register EXCEPT ![w].held = FALSE, ![w].fence = Min(@, word[p] + 1)]
  /\ stage' = [stage EXCEPT ![p] = "idle"]
  /\ grant' = [grant EXCEPT ![p] = NoGrant]
  /\ word' = [word EXCEPT ![p] = Min(@ + 1, Horizon)]
  /\ UNCHANGED <<floor, told, missed, crashes, scope, keeper, reader>>

\* What was under way is rolled back.
Crash(p) ==
  /\ crashes < MaxCrashes /\ stage[p] # "gone"
  /\ crashes' = crashes + 1
  /\ stage' = [stage EXCEPT ![p] = "gone"]
  /\ scope' = [scope EXCEPT ![p] = [t \in Threads |-> NoScope]]
  /\ keeper' = [keeper EXCEPT ![p] = Rest]
  /\ UNCHANGED <<floor, register, told, missed, grant, word, reader>>

-----------------------------------------------------------------------------
(* THE READER *)

Raise ==
  /\ reader = Rest
  /\ \E to \in Ticks :
       /\ floor' = IF Bug("floorNotRaised") \/ Bug("workersReadBefore") THEN floor
                   ELSE Max(floor, to)
       /\ reader' = [step |-> "read", floor |-> to, low |-> to, left |-> Workers]
  /\ UNCHANGED <<register, told, missed, crashes, process, scope, keeper>>

ReadWorker(w) ==
  /\ reader.step = "read" /\ w \in reader.left
  /\ \E stale \in {FALSE} \cup (IF Bug("staleScan") THEN {TRUE} ELSE {}) :
       reader' = [reader EXCEPT
         !.low = IF register[w].held /\ ~stale THEN Min(@, register[w].low) ELSE @,
         !.left = @ \ {w}]
  /\ UNCHANGED <<floor, register, told, missed, crashes, process, scope, keeper>>

DeclareDead(w) ==
  /\ reader.step = "read" /\ w \in reader.left /\ register[w].held
  /\ stage[register[w].holder] = "gone" \/ Bug("declaresPausedDead")
  /\ register' = [register EXCEPT ![w].held = FALSE]
  /\ UNCHANGED <<floor, told, missed, crashes, process, scope, keeper, reader>>

Tell ==
  /\ reader.step = "read" /\ reader.left = {}
  /\ told' = Max(told, reader.low)
  /\ floor' = IF Bug("workersReadBefore") THEN Max(floor, reader.floor) ELSE floor
  /\ reader' = Rest
  /\ UNCHANGED <<register, missed, crashes, process, scope, keeper>>

Step ==
  \/ Raise \/ Tell
  \/ \E w \in Workers : ReadWorker(w) \/ DeclareDead(w)
  \/ \E p \in Processes :
       \/ \E w \in Workers : Ask(p, w)
       \/ Acquire(p) \/ ReadFloor(p)
       \/ Move(p) \/ StartLook(p) \/ Publish(p) \/ Release(p) \/ Crash(p)
       \/ \E t \in Threads :
            \/ ReadWord(p, t) \/ Enter(p, t) \/ Draw(p, t) \/ Check(p, t) \/ Commit(p, t)
            \/ Close(p, t) \/ LookAt(p, t)

Next == Step /\ UNCHANGED bug
Spec == Init /\ [][Next]_vars
Bounded == crashes <= MaxCrashes /\ ~IsFound(bug)
Symmetry == Permutations(Processes) \cup Permutations(Workers) \cup Permutations(Threads)

-----------------------------------------------------------------------------
NoRowMissed == ~missed

Quiet ==
  \A p \in Processes :
    /\ stage[p] = "live" /\ word[p] < grant[p].fence => word[p] >= told
    /\ \A t \in Threads :
         scope[p][t].phase \in {"drawn", "outside", "committing", "closed"}
           => scope[p][t].tick >= told

Report == Reported(bug, NoRowMissed /\ Quiet)
=============================================================================
