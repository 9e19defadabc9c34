---------------------------- MODULE Acknowledged ----------------------------
(***************************************************************************)
(* ACKNOWLEDGED WINDOWS: what is read never counts                         *)
(*                                                                         *)
(* The lease protocol of Lease.tla over a store whose reads may show a     *)
(* write that is not yet kept, and that a crash or failover then takes     *)
(* back: PostgreSQL whose primary restarts while a synchronous standby is  *)
(* away, MySQL semi-sync, MariaDB without a binary log, a directory whose  *)
(* fsync failed.                                                           *)
(*                                                                         *)
(* The store: tail is the list of states of the register from the last one *)
(* that is KEPT (head) to the one that reads and compare-and-set SEE (last *)
(* element).  Keeping moves the head on.  A failover cuts the list off     *)
(* anywhere behind the head.  APPLIED is told only of a write that is kept *)
(* (Acknowledge); CONFLICT and reads come from what is seen.  CONFLICT is  *)
(* also told of a write that was applied, when a client library sent it    *)
(* twice (Conflicts).  Versions are given once, also across failovers.     *)
(*                                                                         *)
(* The rule that is checked: lease and grant change by APPLIED alone.      *)
(* After UNKNOWN or CONFLICT the register is read; one's own record there  *)
(* yields the version for ANOTHER compare-and-set (the confirmation), and  *)
(* nothing else.                                                           *)
(*                                                                         *)
(* Invariants: no ID twice; windows disjoint; nothing is or can be issued  *)
(* at or past the fence of the state that is KEPT; and no holder ever sees *)
(* what counts as proof that the store lost an acknowledged write          *)
(* (NoFalseAlarm), so stopping at once on such proof costs nothing on a    *)
(* sound store.                                                            *)
(*                                                                         *)
(* Bounds: AcknowledgedSpecTest.  Mutants that must fail:                  *)
(*  readExtends      one's own record, only read, extends the window        *)
(*  confirmUnknownCounts  a confirmation of unknown outcome counts         *)
(*  versionsRepeat   a version that was taken back is given again          *)
(*  ackedBeforeKept  the store acknowledges what it may lose (mayForget)   *)
(*  holdKeepsReadVersion  the version that was read is remembered as own:  *)
(*                   no duplicate, but false alarms                        *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Mistakes

CONSTANTS Processes, Nobody, Clock, Window, Horizon,
          MaxLate, MaxWrites, MaxCrashes, MaxFailovers, MaxTail, Releases, Bugs

VARIABLES tail, given, failovers, late, start, lease, ask, grant, word, closed,
          watched, issued, twice, bug

vars == <<tail, given, failovers, late, start, lease, ask, grant, word, closed,
          watched, issued, twice, bug>>

Bug(name) == bug = name
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Ticks == 0 .. Horizon - 1
Me(p) == <<p, start[p]>>
None == [version |-> 0]
Idle == [phase |-> "idle"]

Kept == tail[1]
Seen == tail[Len(tail)]

Record(holder, since, fence) ==
  [holder |-> holder, since |-> since, fence |-> fence, version |-> 0]

Init ==
  /\ tail = << [Record(Nobody, 0, 0) EXCEPT !.version = 1] >>
  /\ given = 1
  /\ failovers = 0
  /\ late = {}
  /\ start = [p \in Processes |-> 1]
  /\ lease = [p \in Processes |-> None]
  /\ ask = [p \in Processes |-> Idle]
  /\ grant = [p \in Processes |-> None]
  /\ word = [p \in Processes |-> -1]
  /\ closed = [p \in Processes |-> FALSE]
  /\ watched \in Ticks
  /\ issued = FALSE
  /\ twice = FALSE
  /\ bug \in Bugs

-----------------------------------------------------------------------------
(* THE STORE *)

NewVersion == IF Bug("versionsRepeat") THEN Seen.version + 1 ELSE given + 1

Put(record) ==
  /\ Len(tail) < MaxTail
  /\ tail' = Append(tail, [record EXCEPT !.version = NewVersion])
  /\ given' = given + 1

Applies(p) ==
  /\ ask[p].phase = "sent"
  /\ ask[p].expect = Seen.version
  /\ Put(ask[p].record)
  /\ ask' = [ask EXCEPT ![p] = [@ EXCEPT !.phase = "written", !.written = NewVersion]]
  /\ UNCHANGED <<failovers, late, start, lease, grant, word, closed, watched, issued, twice>>

AppliesLate(r) ==
  /\ r.expect = Seen.version
  /\ Put(r.record)
  /\ late' = late \ {r}
  /\ UNCHANGED <<failovers, start, lease, ask, grant, word, closed, watched, issued, twice>>

Keeps ==
  /\ Len(tail) > 1
  /\ tail' = Tail(tail)
  /\ UNCHANGED <<given, failovers, late, start, lease, ask, grant, word, closed, watched, issued,
                 twice>>

\* A request whose outcome has to be looked for: of its record only a release needs anything.
Waits(r, phase) ==
  [r EXCEPT !.phase = phase, !.written = 0,
            !.record = IF r.kind = "release" THEN @ ELSE Record(Nobody, 0, 0)]

\* A crash of the store takes back what is not kept; whoever waits for a reply gets none.
FailsOver ==
  \E n \in 1 .. Len(tail) - 1 :
    LET gone == {tail[i].version : i \in n + 1 .. Len(tail)} IN
    /\ tail' = SubSeq(tail, 1, n)
    /\ failovers' = failovers + 1
    /\ ask' = [p \in Processes |->
                 IF ask[p].phase = "written" /\ ask[p].written \in gone
                 THEN Waits(ask[p], "gone") ELSE ask[p]]
    /\ UNCHANGED <<given, late, start, lease, grant, word, closed, watched, issued, twice>>

IsKept(version) == version \notin {tail[i].version : i \in 2 .. Len(tail)}

-----------------------------------------------------------------------------
(* THE KEEPER *)

Request(kind, expect, record) ==
  [phase |-> "sent", kind |-> kind, expect |-> expect, record |-> record, written |-> 0]

Send(p, request) ==
  /\ ask' = [ask EXCEPT ![p] = request]
  /\ UNCHANGED <<tail, given, failovers, late, start, lease, grant, watched, issued, twice>>

Acquire(p) ==
  /\ ask[p] = Idle /\ lease[p] = None /\ ~closed[p]
  /\ \E now \in Clock :
       LET since == Max(Seen.fence, now)
           fence == Min(since + Window, Horizon)
       IN /\ since < Horizon
          /\ Send(p, Request("acquire", Seen.version, Record(Me(p), since, fence)))
  /\ UNCHANGED <<word, closed>>

Renew(p) ==
  /\ ask[p] = Idle /\ lease[p] # None /\ ~closed[p]
  /\ lease[p].fence < Horizon \/ lease[p].version # Seen.version
  /\ Send(p, Request("renew", lease[p].version,
                     Record(Me(p), lease[p].since, Min(lease[p].fence + Window, Horizon))))
  /\ UNCHANGED <<word, closed>>

Release(p) ==
  LET drawnSince == {t \in Ticks : word[p] < t /\ lease[p].since <= t /\ t < lease[p].fence} IN
  /\ Releases /\ ask[p] = Idle /\ lease[p] # None
  /\ \E last \in {word[p]} \cup IF closed[p] THEN {} ELSE drawnSince :
       /\ word' = [word EXCEPT ![p] = last]
       /\ Send(p, Request("release", lease[p].version,
                          Record(Nobody, lease[p].since,
                                 Min(lease[p].fence, Max(lease[p].since, last + 1)))))
  /\ closed' = [closed EXCEPT ![p] = TRUE]

Take(p, record) ==
  /\ lease' = [lease EXCEPT ![p] = record]
  /\ grant' = [grant EXCEPT ![p] = record]

\* The window stays in use; only the right to go on is gone.
Lose(p) == lease' = [lease EXCEPT ![p] = None] /\ UNCHANGED grant

\* APPLIED: told of a write that is kept.
Acknowledge(p) ==
  /\ ask[p].phase = "written"
  /\ IsKept(ask[p].written) \/ Bug("ackedBeforeKept")
  /\ IF ask[p].kind = "release" THEN Lose(p)
     ELSE Take(p, [ask[p].record EXCEPT !.version = ask[p].written])
  /\ ask' = [ask EXCEPT ![p] = Idle]
  /\ UNCHANGED <<tail, given, failovers, late, start, word, closed, watched, issued, twice>>

\* CONFLICT, from what is seen; or of an applied write, from a client that sent it twice.
Conflicts(p) ==
  /\ \/ ask[p].phase = "sent" /\ ask[p].expect # Seen.version
     \/ ask[p].phase \in {"written", "gone"}
  /\ ask' = [ask EXCEPT ![p] = Waits(@, "look")]
  /\ UNCHANGED <<tail, given, failovers, late, start, lease, grant, word, closed, watched, issued,
                 twice>>

Abandon(p) ==
  IF ask[p].phase = "sent" /\ Cardinality(late) < MaxLate
  THEN late' = {r \in late \cup {ask[p]} : r.expect >= Kept.version} ELSE UNCHANGED late

\* UNKNOWN: the register is read, or not even that.
Unknown(p) ==
  /\ ask[p].phase \in {"sent", "written", "gone"}
  /\ Abandon(p)
  /\ \/ ask' = [ask EXCEPT ![p] = Waits(@, "look")]
     \/ ask' = [ask EXCEPT ![p] = Idle]
  /\ IF Bug("confirmUnknownCounts") /\ ask[p].kind = "confirm"
     THEN Take(p, [ask[p].record EXCEPT !.version = ask[p].expect])
     ELSE UNCHANGED <<lease, grant>>
  /\ UNCHANGED <<tail, given, failovers, start, word, closed, watched, issued, twice>>

Look(p) ==
  LET r == ask[p] IN
  /\ r.phase = "look"
  /\ CASE Seen.version = r.expect ->
            ask' = [ask EXCEPT ![p] = Idle] /\ UNCHANGED <<lease, grant>>
       [] Seen.version # r.expect /\ Seen.holder = Me(p) /\ Bug("readExtends") ->
            ask' = [ask EXCEPT ![p] = Idle] /\ Take(p, Seen)
       [] Seen.version # r.expect /\ Seen.holder = Me(p) /\ ~Bug("readExtends") ->
            /\ IF r.kind = "release"
               THEN ask' = [ask EXCEPT ![p] = Request("release", Seen.version, r.record)]
               ELSE \E fence \in {Seen.fence, Min(Seen.fence + Window, Horizon)} :
                      ask' = [ask EXCEPT ![p] =
                                Request("confirm", Seen.version,
                                        Record(Me(p), Seen.since, fence))]
            /\ IF Bug("holdKeepsReadVersion") /\ lease[p] # None
               THEN lease' = [lease EXCEPT ![p].version = Seen.version] /\ UNCHANGED grant
               ELSE UNCHANGED <<lease, grant>>
       [] OTHER -> ask' = [ask EXCEPT ![p] = Idle] /\ Lose(p)
  /\ UNCHANGED <<tail, given, failovers, late, start, word, closed, watched, issued, twice>>

-----------------------------------------------------------------------------
(* THE GENERATOR: a draw and its use in one step; Lease.tla has them apart. *)

Fits(tick, g) == g # None /\ g.since <= tick /\ tick < g.fence

Issue(p) ==
  /\ ~closed[p]
  /\ Fits(watched, grant[p])
  /\ word[p] < watched
  /\ word' = [word EXCEPT ![p] = watched]
  /\ twice' = (twice \/ issued)
  /\ issued' = TRUE
  /\ UNCHANGED <<tail, given, failovers, late, start, lease, ask, grant, closed, watched>>

Crash(p) ==
  /\ start' = [start EXCEPT ![p] = @ + 1]
  /\ IF ask[p] = Idle THEN UNCHANGED late ELSE Abandon(p)
  /\ lease' = [lease EXCEPT ![p] = None]
  /\ ask' = [ask EXCEPT ![p] = Idle]
  /\ grant' = [grant EXCEPT ![p] = None]
  /\ word' = [word EXCEPT ![p] = -1]
  /\ closed' = [closed EXCEPT ![p] = FALSE]
  /\ UNCHANGED <<tail, given, failovers, watched, issued, twice>>

Step ==
  \/ Keeps \/ FailsOver
  \/ \E r \in late : AppliesLate(r)
  \/ \E p \in Processes :
       \/ Applies(p) \/ Acquire(p) \/ Renew(p) \/ Release(p)
       \/ Acknowledge(p) \/ Conflicts(p) \/ Unknown(p) \/ Look(p)
       \/ Issue(p) \/ Crash(p)

Next == Step /\ UNCHANGED bug
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
MayIssue(p) == ~closed[p] /\ Fits(watched, grant[p]) /\ word[p] < watched

NoIdTwice == ~twice

WindowsDisjoint ==
  \A p \in Processes :
    MayIssue(p) => ~issued /\ \A q \in Processes \ {p} : ~MayIssue(q)

KeptFenceIsHighWater ==
  (issued \/ \E p \in Processes : MayIssue(p)) => watched < Kept.fence

\* What a holder takes for proof that the store lost an acknowledged write.
Proof(p) ==
  \/ Seen.version < lease[p].version
  \/ Seen.holder # Me(p) /\ Seen.since < lease[p].fence

NoFalseAlarm == \A p \in Processes : lease[p] # None /\ ~closed[p] => ~Proof(p)

Symmetry == Permutations(Processes)
Crashes == Cardinality(UNION {{p} \X (2 .. start[p]) : p \in Processes})
Report == Reported(bug, NoIdTwice /\ WindowsDisjoint /\ KeptFenceIsHighWater /\ NoFalseAlarm)
Bounded ==
  /\ given - 1 <= MaxWrites /\ Crashes <= MaxCrashes /\ failovers <= MaxFailovers
  /\ ~IsFound(bug)
=============================================================================
