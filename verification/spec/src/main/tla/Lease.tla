------------------------------- MODULE Lease -------------------------------
(***************************************************************************)
(* HOW A WORKER ID IS LEASED, AND WHY NO ID IS ISSUED TWICE                *)
(*                                                                         *)
(* For a reader who has never seen TLA+: a specification is a set of       *)
(* VARIABLES (the whole state of the world), an Init (where the world      *)
(* starts) and a Next (every step that the world may take).  x' is the     *)
(* value of x after the step; a line without primes is a condition for the *)
(* step; /\ is "and", \/ is "or", \E is "for some", \A is "for all", and   *)
(* [f EXCEPT ![p] = e] is f with f[p] replaced by e.  The checker, TLC,    *)
(* walks through every state that can be reached, in every order of steps  *)
(* of all processes, and looks whether the invariants at the end of this   *)
(* page hold in each.  A process that pauses, at any place and for any     *)
(* time, is one whose next step comes late: there is nothing to write.     *)
(*                                                                         *)
(* The world:                                                              *)
(*  - A store with one register per worker.  A register is changed only by *)
(*    compare-and-set against its version.  A request may be lost, applied *)
(*    without the caller learning it, or applied late: after the caller    *)
(*    gave up, or after it crashed.                                        *)
(*  - Processes.  Each start of a process is an incarnation of its own.    *)
(*    Its keeper holds the lease and talks to the store, one request at a  *)
(*    time.  Its callers draw numbers and make IDs of them.                *)
(*  - Clocks.  There are none: where the protocol says "now", any value of *)
(*    Clock will do, a different one at each look.                         *)
(*                                                                         *)
(* The protocol:                                                           *)
(*  - A record [holder, notBefore, fence] in the register of worker w says *)
(*    "w may be issued by holder, at ticks notBefore .. fence - 1, and     *)
(*    nobody was ever permitted w at or past fence".                       *)
(*  - Acquire any worker, free or not: read its register and put the       *)
(*    window from max(fence, now) on behind what was there.                *)
(*  - Renew: a larger fence, against the version that this incarnation     *)
(*    wrote itself.  If another's record stands there it is lost: the      *)
(*    window may be used up, and then a worker must be acquired again.     *)
(*  - Unknown outcome or conflict: go on as before, or look.  A record     *)
(*    with this incarnation as holder is a write of its own.  It yields    *)
(*    the version for another write, the confirmation, and nothing else:   *)
(*    what was read never counts.  Acknowledged.tla says why.              *)
(*  - Release: close the word first, then set the fence back to just past  *)
(*    the last tick drawn, but never below the window of this lease.       *)
(*  - nextId: draw a number, take one snapshot of the grant, drop the      *)
(*    number if its tick does not fit, and compose it with the worker of   *)
(*    that same snapshot.                                                  *)
(*                                                                         *)
(* Two simplifications lose nothing:                                       *)
(*  - A tick carries one sequence number.  The word hands out every        *)
(*    (tick, sequence) once and fences know only ticks, so two sequence    *)
(*    numbers of a tick differ in nothing that matters here.               *)
(*  - One tick is watched in each run, and the checker tries each of them. *)
(*    Numbers of the other ticks are drawn too, but nobody looks at their  *)
(*    IDs; all that they leave behind is a higher word, which matters in   *)
(*    Release, and there the word may jump.                                *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Mistakes

CONSTANTS
  Processes,
  Workers,
  Nobody,      \* the holder of a register that is free
  Clock,       \* what a clock may show
  Window,      \* ticks per window
  Horizon,     \* ticks are 0 .. Horizon - 1; the last window ends there
  MaxLate,     \* how many requests may be on their way with nobody waiting for them
  MaxWrites,   \* how many writes are looked at, and restarts
  MaxCrashes,
  StaleReads,  \* TRUE: a read may return any value that the register ever had
  Bugs         \* names of deliberate mistakes; "none" is the protocol

VARIABLES
  register,    \* worker -> its record and version
  past,        \* worker -> what it held before (filled only if StaleReads)
  late,        \* requests on their way that nobody waits for
  start,       \* process -> number of its incarnation
  lease,       \* process -> what its keeper believes to hold
  ask,         \* process -> the request that its keeper waits for
  grant,       \* process -> what its callers may use: worker, notBefore, notAfter
  word,        \* process -> the highest tick drawn
  closed,      \* process -> whether its word is closed
  number,      \* process -> its number of the watched tick: "none", "drawn", or the
               \*            worker of the snapshot that it was found to fit
  foreign,      \* worker -> the ticks at which another system may issue its IDs: from, until
  watched,     \* the watched tick
  issued,      \* the workers for which an ID of the watched tick was issued
  twice,       \* whether one was issued again
  bug          \* the mistake of this run; one of Bugs

store == <<register, past, late, foreign>>
keeper == <<lease, ask, grant>>
generator == <<word, closed, number>>
history == <<watched, issued, twice>>
vars == <<store, start, keeper, generator, history, bug>>

Bug(name) == bug = name
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Ticks == 0 .. Horizon - 1

\* An incarnation is a fresh identity: no two starts have the same.
Me(p) == <<p, IF Bug("incarnationReused") THEN 1 ELSE start[p]>>

NoLease == [worker |-> Nobody]
NoGrant == [worker |-> Nobody]
NoAsk == [phase |-> "idle"]
Unreserved == [from |-> 0, until |-> 0, done |-> FALSE]

Init ==
  /\ register = [w \in Workers |-> [holder |-> Nobody, notBefore |-> 0, fence |-> 0, version |-> 0]]
  /\ past = [w \in Workers |-> {}]
  /\ late = {}
  /\ foreign = [w \in Workers |-> Unreserved]
  /\ start = [p \in Processes |-> 1]
  /\ lease = [p \in Processes |-> NoLease]
  /\ ask = [p \in Processes |-> NoAsk]
  /\ grant = [p \in Processes |-> NoGrant]
  /\ word = [p \in Processes |-> -1]
  /\ closed = [p \in Processes |-> FALSE]
  /\ number = [p \in Processes |-> "none"]
  /\ watched \in Ticks
  /\ issued = {}
  /\ twice = FALSE
  /\ bug \in Bugs

-----------------------------------------------------------------------------
(* THE STORE *)

\* Writes that ignore the version exist only as deliberate mistakes.
Blind(request) ==
  \/ request.kind = "renew" /\ Bug("renewWithoutVersion")
  \/ request.kind = "release" /\ Bug("releaseWithoutVersion")

Matches(request) == request.expect = register[request.worker].version \/ Blind(request)

\* Versions only grow: a request that has missed its version can be forgotten.
StillPossible(requests, registers) ==
  {r \in requests : r.expect >= registers[r.worker].version \/ Blind(r)}

Apply(request, others) ==
  LET w == request.worker IN
  /\ Matches(request)
  /\ register' = [register EXCEPT ![w] =
                    [request.record EXCEPT !.version = register[w].version + 1]]
  /\ past' = IF StaleReads THEN [past EXCEPT ![w] = @ \cup {register[w]}] ELSE past
  /\ late' = StillPossible(others, register')

StoreApplies(p) ==
  /\ ask[p].phase = "sent"
  /\ Apply(ask[p].request, late)
  /\ ask' = [ask EXCEPT ![p].phase = "applied"]
  /\ UNCHANGED <<foreign, start, lease, grant, generator, history>>

\* A request that stays in late for ever was lost.
StoreAppliesLate(request) ==
  /\ Apply(request, late \ {request})
  /\ UNCHANGED <<foreign, start, keeper, generator, history>>

-----------------------------------------------------------------------------
(* THE KEEPER *)

\* The compare-and-set of the register of w to a record, expecting a version.
Request(kind, w, expect, holder, notBefore, fence) ==
  [kind |-> kind, worker |-> w, expect |-> expect,
   record |-> [holder |-> holder, notBefore |-> notBefore, fence |-> fence, version |-> 0]]

Send(p, request) ==
  /\ ask' = [ask EXCEPT ![p] = [phase |-> "sent", request |-> request]]
  /\ UNCHANGED <<store, start, lease, grant, number, history>>

Current(w, version) == version = register[w].version

Readable(w) == {register[w]} \cup past[w]

\* No question whether the worker is free.  Between the read and the write anything may happen.
Acquire(p, w) ==
  /\ ask[p] = NoAsk
  /\ lease[p] = NoLease
  /\ ~closed[p]
  /\ \E seen \in Readable(w), now \in Clock :
       LET notBefore == IF Bug("acquireFromNow") THEN now ELSE Max(seen.fence, now)
           fence == Min(notBefore + Window, Horizon)
       IN /\ notBefore < Horizon
          /\ Send(p, Request("acquire", w, seen.version, Me(p), notBefore, fence))
  /\ UNCHANGED <<word, closed>>

Renew(p) ==
  LET mine == lease[p] IN
  /\ ask[p] = NoAsk
  /\ mine # NoLease
  /\ ~closed[p]
  /\ mine.fence < Horizon \/ ~Current(mine.worker, mine.version)
  /\ \E now \in Clock :
       LET fence == Min(Max(mine.fence, now) + Window, Horizon)
       IN Send(p, Request("renew", mine.worker, mine.version, Me(p), mine.notBefore, fence))
  /\ UNCHANGED <<word, closed>>

\* Closing the word tells the last tick drawn.  Closing and sending are one step here: after the
\* close nothing is drawn, so a pause between the two is a pause before both.
Release(p) ==
  LET mine == lease[p]
      drawnSince == {t \in Ticks : word[p] < t /\ mine.notBefore <= t /\ t < mine.fence}
  IN
  /\ ask[p] = NoAsk
  /\ mine # NoLease
  /\ \E last \in {word[p]} \cup IF closed[p] THEN {} ELSE drawnSince :
       LET unused == IF Bug("releaseBelowWindow") THEN last + 1 ELSE Max(mine.notBefore, last + 1)
           fence == Min(mine.fence, unused)
       IN /\ word' = [word EXCEPT ![p] = last]
          /\ Send(p, Request("release", mine.worker, mine.version, Nobody, fence, fence))
  /\ closed' = [closed EXCEPT ![p] = ~Bug("releaseWithoutClose")]

Take(p, w, record) ==
  /\ lease' = [lease EXCEPT ![p] = [worker |-> w, notBefore |-> record.notBefore,
                                    fence |-> record.fence, version |-> record.version]]
  /\ grant' = [grant EXCEPT ![p] = [worker |-> w, notBefore |-> record.notBefore,
                                    notAfter |-> record.fence]]

\* The grant stays: its window may be used up.
Lose(p) ==
  /\ lease' = [lease EXCEPT ![p] = NoLease]
  /\ UNCHANGED grant

TakeAsAsked(p) ==
  LET r == ask[p].request IN
  IF r.kind = "release" THEN Lose(p)
  ELSE Take(p, r.worker, [r.record EXCEPT !.version = r.expect + 1])


\* A request that was not yet applied stays on its way.
Abandon(p) ==
  IF ask[p].phase = "sent" /\ Cardinality(late) < MaxLate
  THEN late' = StillPossible(late \cup {ask[p].request}, register)
  ELSE UNCHANGED late

Done(p) == ask' = [ask EXCEPT ![p] = NoAsk]

\* The same once more, against the version of a write of one's own that was found.
Confirmation(r, seen) ==
  IF r.kind = "release"
  THEN [r EXCEPT !.expect = seen.version]
  ELSE Request("confirm", r.worker, seen.version, seen.holder, seen.notBefore,
               Max(r.record.fence, seen.fence))

Look(p) ==
  LET r == ask[p].request IN
  \E seen \in Readable(r.worker) :
    CASE seen.version = r.expect -> Done(p) /\ UNCHANGED <<lease, grant>>
      [] seen.version # r.expect /\ seen.holder = Me(p) ->
           /\ ask' = [ask EXCEPT ![p] = [phase |-> "sent", request |-> Confirmation(r, seen)]]
           /\ UNCHANGED <<lease, grant>>
      [] OTHER -> Done(p) /\ Lose(p)

Learn(p) ==
  /\ \/ ask[p].phase = "applied" /\ Done(p) /\ TakeAsAsked(p)
     \/ ask[p].phase = "sent" /\ ~Matches(ask[p].request) /\ Look(p)
  /\ UNCHANGED <<store, start, generator, history>>

\* The outcome is unknown, whether the request was applied, refused, or neither so far.
GiveUp(p) ==
  /\ ask[p] # NoAsk
  /\ \/ Done(p) /\ UNCHANGED <<lease, grant>>
     \/ IF Bug("unknownAssumedApplied") THEN Done(p) /\ TakeAsAsked(p) ELSE Look(p)
  /\ Abandon(p)
  /\ UNCHANGED <<register, past, foreign, start, generator, history>>

\* Only as a deliberate mistake: what stands under a name that does not change with each start is
\* taken for one's own.
Resume(p, w) ==
  /\ Bug("incarnationReused")
  /\ ask[p] = NoAsk
  /\ lease[p] = NoLease
  /\ register[w].holder = Me(p)
  /\ Take(p, w, register[w])
  /\ UNCHANGED <<store, start, ask, generator, history>>

-----------------------------------------------------------------------------
(* AN OPERATOR *)

\* Takes a worker from its holder, who is not asked.  The fence stays.  This is no mistake; it has
\* a name among them so that the other models stay small.
OperatorReleases(w) ==
  /\ Bug("operatorReleases") \/ Bug("operatorLowersFence")
  /\ \E fence \in IF Bug("operatorLowersFence") THEN 0 .. register[w].fence
                   ELSE {register[w].fence} :
       register' = [register EXCEPT ![w] = [holder |-> Nobody, notBefore |-> fence,
                                            fence |-> fence, version |-> @.version + 1]]
  /\ past' = IF StaleReads THEN [past EXCEPT ![w] = @ \cup {register[w]}] ELSE past
  /\ late' = StillPossible(late, register')
  /\ UNCHANGED <<foreign, start, keeper, generator, history>>

\* Writes a record of nobody, whatever the register held.
OperatorWrites(w, fence) ==
  /\ register' = [register EXCEPT ![w] = [holder |-> Nobody, notBefore |-> @.fence,
                                          fence |-> fence, version |-> @.version + 1]]
  /\ past' = IF StaleReads THEN [past EXCEPT ![w] = @ \cup {register[w]}] ELSE past
  /\ late' = StillPossible(late, register')
  /\ UNCHANGED <<start, keeper, generator, history>>

\* Reserves a worker for another system, free or not: its fence is moved to the end of that, and the
\* other system may issue from the old fence on.  As above, this is no mistake by itself.
Reserving == Bug("operatorReserves") \/ Bug("reservesWithoutFence")
                \/ Bug("reservationReleasedEarly")

OperatorReserves(w) ==
  /\ Reserving
  /\ foreign[w] = Unreserved
  /\ \E until \in register[w].fence + 1 .. Horizon :
       /\ foreign' = [foreign EXCEPT ![w] = [from |-> register[w].fence, until |-> until,
                                                done |-> FALSE]]
       /\ OperatorWrites(w, IF Bug("reservesWithoutFence") THEN register[w].fence ELSE until)

\* Ends a reservation.  The operator says up to where the other system has issued, and that it
\* issues none any more: the fence is put there.
OperatorEndsReservation(w) ==
  /\ Reserving
  /\ foreign[w] # Unreserved
  /\ register[w].fence = foreign[w].until   \* no lease followed yet
  /\ \E fence \in foreign[w].from .. foreign[w].until :
       /\ watched \in foreign[w].from .. foreign[w].until - 1 /\ w \in issued => watched < fence
       /\ OperatorWrites(w, fence)
       /\ foreign' = IF Bug("reservationReleasedEarly") THEN foreign
                    ELSE [foreign EXCEPT ![w].until = fence]

ForeignMayIssue(w) ==
  ~foreign[w].done /\ foreign[w].from <= watched /\ watched < foreign[w].until

\* The other system issues each of its IDs once, and asks nobody.
OtherSystemIssues(w) ==
  /\ ForeignMayIssue(w)
  /\ foreign' = [foreign EXCEPT ![w].done = TRUE]
  /\ twice' = (twice \/ w \in issued)
  /\ issued' = issued \cup {w}
  /\ UNCHANGED <<register, past, late, start, keeper, generator, watched>>

-----------------------------------------------------------------------------
(* THE GENERATOR *)

Fits(tick, g) ==
  /\ g # NoGrant
  /\ g.notBefore <= tick \/ Bug("notBeforeNotChecked")
  /\ tick < g.notAfter \/ Bug("fenceNotChecked")

Draw(p) ==
  /\ ~closed[p]
  /\ grant[p] # NoGrant
  /\ word[p] < watched
  /\ word' = [word EXCEPT ![p] = watched]
  /\ number' = [number EXCEPT ![p] = "drawn"]
  /\ UNCHANGED <<store, start, keeper, closed, history>>

Snapshot(p) ==
  /\ number[p] = "drawn"
  /\ number' = [number EXCEPT ![p] = IF Fits(watched, grant[p]) THEN grant[p].worker ELSE "none"]
  /\ UNCHANGED <<store, start, keeper, word, closed, history>>

Issue(p) ==
  LET worker == IF Bug("twoSnapshots") THEN grant[p].worker ELSE number[p] IN
  /\ number[p] \in Workers
  /\ twice' = (twice \/ worker \in issued)
  /\ issued' = issued \cup {worker}
  /\ number' = [number EXCEPT ![p] = "none"]
  /\ UNCHANGED <<store, start, keeper, word, closed, watched>>

-----------------------------------------------------------------------------
\* Everything is lost but the request on its way.  The process is back at once: one that stays
\* away is one that pauses.
Crash(p) ==
  /\ start' = [start EXCEPT ![p] = @ + 1]
  /\ IF ask[p] = NoAsk THEN UNCHANGED late ELSE Abandon(p)
  /\ lease' = [lease EXCEPT ![p] = NoLease]
  /\ ask' = [ask EXCEPT ![p] = NoAsk]
  /\ grant' = [grant EXCEPT ![p] = NoGrant]
  /\ word' = [word EXCEPT ![p] = -1]
  /\ closed' = [closed EXCEPT ![p] = FALSE]
  /\ number' = [number EXCEPT ![p] = "none"]
  /\ UNCHANGED <<register, past, foreign, history>>

Step ==
  \/ \E request \in late : StoreAppliesLate(request)
  \/ \E w \in Workers :
       \/ OperatorReleases(w)
       \/ OperatorReserves(w) \/ OperatorEndsReservation(w) \/ OtherSystemIssues(w)
  \/ \E p \in Processes :
       \/ StoreApplies(p)
       \/ \E w \in Workers : Acquire(p, w) \/ Resume(p, w)
       \/ Renew(p) \/ Release(p)
       \/ Learn(p) \/ GiveUp(p)
       \/ Draw(p) \/ Snapshot(p) \/ Issue(p)
       \/ Crash(p)

Next == Step /\ UNCHANGED bug
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* WHAT MUST HOLD *)

\* Whether p may still issue an ID of worker w at the watched tick without another word from the
\* store: it has one in its hand, or its grant allows one that it has drawn or can still draw.
MayIssue(p, w) ==
  \/ number[p] = w
  \/ /\ grant[p].worker = w
     /\ Fits(watched, grant[p])
     /\ number[p] = "drawn" \/ (~closed[p] /\ word[p] < watched)

NoIdTwice == ~twice

\* What two processes may still issue never overlaps, nor does it overlap what was issued.
WindowsDisjoint ==
  \A p \in Processes, w \in Workers :
    MayIssue(p, w) => /\ w \notin issued
                      /\ \A q \in Processes \ {p} : ~MayIssue(q, w)
                      /\ ~ForeignMayIssue(w)

\* Nothing was issued, and nothing can be, at or past the fence that stands in the register.
FenceIsHighWater ==
  \A w \in Workers :
    (w \in issued \/ \E p \in Processes : MayIssue(p, w)) => watched < register[w].fence

\* Within one incarnation the word only grows, and a closed word stays closed and as it is.
WordOnlyGrows ==
  [][\A p \in Processes :
       start'[p] = start[p] => /\ word'[p] >= word[p]
                               /\ closed[p] => closed'[p] /\ word'[p] = word[p]]_vars

-----------------------------------------------------------------------------
(* HOW FAR THE CHECKER GOES *)

\* Processes are alike, and so are workers.
Symmetry == Permutations(Processes) \cup Permutations(Workers)

\* So many writes in all, and so many restarts; up to there, every state is visited.
Writes == Cardinality(UNION {{w} \X (1 .. register[w].version) : w \in Workers})
Crashes == Cardinality(UNION {{p} \X (2 .. start[p]) : p \in Processes})
Report == Reported(bug, NoIdTwice /\ WindowsDisjoint /\ FenceIsHighWater)
Bounded == Writes <= MaxWrites /\ Crashes <= MaxCrashes /\ ~IsFound(bug)
=============================================================================
