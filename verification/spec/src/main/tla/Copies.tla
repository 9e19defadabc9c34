------------------------------- MODULE Copies -------------------------------
(***************************************************************************)
(* COPIES OF A PROCESS: a snapshot of a running machine, restored twice    *)
(*                                                                         *)
(* The lease protocol of Acknowledged.tla for one worker, on a store that  *)
(* keeps what it shows, with a step more: at any moment, also in the       *)
(* middle of a call, an unborn process becomes a copy of a running one     *)
(* (Copy).  It has the same lease, token, word and outstanding writes.  A  *)
(* request that was on its way may arrive from both.                       *)
(*                                                                         *)
(* The rule that is checked: each acquisition has a token of its own and   *)
(* each write a nonce of its own, and a register is recognized as one's    *)
(* own only by its whole text, which must be that of an outstanding write. *)
(* Of two copies the one that writes second therefore finds a text that it *)
(* did not write, and stops at once.                                       *)
(*                                                                         *)
(* What is promised.  Nothing can tell two copies apart before one of them *)
(* has written.  So the ID times that the process held when it was copied, *)
(* or had asked for, may be issued by both, and what one of them gives     *)
(* back of them by a third process.  They end at the fence `shared`.       *)
(* Invariants: no ID at or past it is issued twice; windows past it are    *)
(* disjoint.                                                               *)
(*                                                                         *)
(* Bounds: CopiesSpecTest.  Mutants that must fail:                        *)
(*  tokenOnly  a register with one's own token is taken for one's own      *)
(*  noNonce    writes have no nonce, so copies write the same text         *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Mistakes

CONSTANTS Processes, Original, Twin, Clock, Window, Horizon, MaxLate, MaxWrites, Bugs

VARIABLES register, late, sent, tokens, born, shared,
          lease, ask, outstanding, grant, word, closed, watched, issued, twice, bug

store == <<register, late>>
names == <<sent, tokens>>
world == <<born, shared, watched>>
vars == <<store, names, world, lease, ask, outstanding, grant, word, closed, issued, twice, bug>>

Bug(name) == bug = name
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Ticks == 0 .. Horizon - 1
None == [fence |-> 0]
Idle == [phase |-> "idle"]

Text(token, nonce, since, fence) ==
  [token |-> token, nonce |-> nonce, since |-> since, fence |-> fence]

Init ==
  /\ register = [text |-> Text(0, 0, 0, 0), version |-> 1]
  /\ late = {}
  /\ sent = 0
  /\ tokens = 0
  /\ born = Processes \ {Twin}
  /\ shared = 0
  /\ lease = [p \in Processes |-> None]
  /\ ask = [p \in Processes |-> Idle]
  /\ outstanding = [p \in Processes |-> {}]
  /\ grant = [p \in Processes |-> None]
  /\ word = [p \in Processes |-> -1]
  /\ closed = [p \in Processes |-> FALSE]
  /\ watched \in Ticks
  /\ issued = FALSE
  /\ twice = FALSE
  /\ bug \in Bugs

-----------------------------------------------------------------------------
(* THE STORE *)

Put(text) == register' = [text |-> text, version |-> register.version + 1]

Applies(p) ==
  /\ ask[p].phase = "sent"
  /\ ask[p].expect = register.version
  /\ Put(ask[p].text)
  /\ ask' = [ask EXCEPT ![p] = [@ EXCEPT !.phase = "written"]]
  /\ UNCHANGED <<late, names, world, lease, outstanding, grant, word, closed, issued, twice>>

AppliesLate(r) ==
  /\ r.expect = register.version
  /\ Put(r.text)
  /\ late' = late \ {r}
  /\ UNCHANGED <<names, world, lease, ask, outstanding, grant, word, closed, issued, twice>>

-----------------------------------------------------------------------------
(* THE KEEPER *)

Nonce == IF Bug("noNonce") THEN 0 ELSE sent + 1

Send(p, kind, expect, text) ==
  /\ ask' = [ask EXCEPT ![p] =
               [phase |-> "sent", kind |-> kind, expect |-> expect, text |-> text]]
  /\ outstanding' = [outstanding EXCEPT ![p] = @ \cup {text}]
  /\ sent' = sent + 1

Acquire(p) ==
  /\ p \in born /\ ask[p] = Idle /\ lease[p] = None /\ ~closed[p]
  /\ \E now \in Clock :
       LET since == Max(register.text.fence, now) IN
       /\ since < Horizon
       /\ Send(p, "acquire", register.version,
               Text(tokens + 1, Nonce, since, Min(since + Window, Horizon)))
  /\ tokens' = tokens + 1
  /\ UNCHANGED <<store, world, lease, grant, word, closed, issued, twice>>

Renew(p) ==
  /\ ask[p] = Idle /\ lease[p] # None /\ ~closed[p]
  /\ Send(p, "renew", lease[p].version,
          Text(lease[p].token, Nonce, lease[p].since, Min(lease[p].fence + Window, Horizon)))
  /\ UNCHANGED <<store, tokens, world, lease, grant, word, closed, issued, twice>>

\* The word is closed first. The rest of the window is given back.
Release(p) ==
  /\ ask[p] = Idle /\ lease[p] # None /\ ~closed[p]
  /\ closed' = [closed EXCEPT ![p] = TRUE]
  /\ Send(p, "release", lease[p].version,
          Text(0, Nonce, lease[p].since,
               Min(lease[p].fence, Max(lease[p].since, word[p] + 1))))
  /\ UNCHANGED <<store, tokens, world, lease, grant, word, issued, twice>>

Acknowledge(p) ==
  /\ ask[p].phase = "written"
  /\ LET t == ask[p].text
         held == [token |-> t.token, since |-> t.since, fence |-> t.fence,
                  version |-> ask[p].expect + 1]
         next == IF ask[p].kind = "release" THEN None ELSE held
     IN /\ lease' = [lease EXCEPT ![p] = next]
        /\ grant' = [grant EXCEPT ![p] = next]
  /\ outstanding' = [outstanding EXCEPT ![p] = {}]
  /\ ask' = [ask EXCEPT ![p] = Idle]
  /\ UNCHANGED <<store, names, world, word, closed, issued, twice>>

\* CONFLICT, or no answer; a request that has not arrived may arrive later.
Fails(p) ==
  /\ \/ ask[p].phase = "sent" /\ ask[p].expect # register.version /\ UNCHANGED late
     \/ ask[p].phase = "written" /\ UNCHANGED late
     \/ ask[p].phase = "sent" /\ Cardinality(late) < MaxLate /\ late' = late \cup {ask[p]}
  /\ ask' = [ask EXCEPT ![p] = [@ EXCEPT !.phase = "look"]]
  /\ UNCHANGED <<register, names, world, lease, outstanding, grant, word, closed, issued, twice>>

IsOwn(p, text) ==
  \/ text \in outstanding[p]
  \/ Bug("tokenOnly") /\ lease[p] # None /\ text.token = lease[p].token

\* The register is read. Its version serves for another write, and for nothing else.
Look(p) ==
  LET seen == register.text
      unchanged == lease[p] # None /\ lease[p].version = register.version
      copied == lease[p] # None /\ seen.token \in {0, lease[p].token}
  IN
  /\ ask[p].phase = "look"
  /\ IF unchanged \/ closed[p] THEN
       /\ ask' = [ask EXCEPT ![p] = Idle]
       /\ UNCHANGED <<sent, lease, grant, outstanding>>
     ELSE IF IsOwn(p, seen) THEN
       /\ Send(p, "confirm", register.version, Text(seen.token, Nonce, seen.since, seen.fence))
       /\ UNCHANGED <<lease, grant>>
     ELSE
       /\ ask' = [ask EXCEPT ![p] = Idle]
       /\ lease' = [lease EXCEPT ![p] = None]
       /\ grant' = IF copied THEN [grant EXCEPT ![p] = None] ELSE grant
       /\ outstanding' = [outstanding EXCEPT ![p] = IF lease[p] = None THEN @ ELSE {}]
       /\ UNCHANGED sent
  /\ UNCHANGED <<store, tokens, world, word, closed, issued, twice>>

-----------------------------------------------------------------------------
(* THE GENERATOR, AND THE SNAPSHOT *)

Fits(tick, g) == g # None /\ g.since <= tick /\ tick < g.fence

MayIssue(p) == ~closed[p] /\ Fits(watched, grant[p]) /\ word[p] < watched

Issue(p) ==
  /\ MayIssue(p)
  /\ word' = [word EXCEPT ![p] = watched]
  /\ twice' = (twice \/ (issued /\ watched >= shared))
  /\ issued' = TRUE
  /\ UNCHANGED <<store, names, world, lease, ask, outstanding, grant, closed>>

\* What was held, and what was asked for: of a request on its way both may be told.
FenceOf(p) ==
  Max(grant[p].fence,
      IF ask[p].phase \in {"sent", "written"} THEN ask[p].text.fence ELSE 0)

Copy ==
  /\ Twin \notin born
  /\ born' = born \cup {Twin}
  /\ shared' = FenceOf(Original)
  /\ lease' = [lease EXCEPT ![Twin] = lease[Original]]
  /\ ask' = [ask EXCEPT ![Twin] = IF ask[Original].phase = "written"
                                  THEN [ask[Original] EXCEPT !.phase = "sent"]
                                  ELSE ask[Original]]
  /\ outstanding' = [outstanding EXCEPT ![Twin] = outstanding[Original]]
  /\ grant' = [grant EXCEPT ![Twin] = grant[Original]]
  /\ word' = [word EXCEPT ![Twin] = word[Original]]
  /\ closed' = [closed EXCEPT ![Twin] = closed[Original]]
  /\ UNCHANGED <<store, names, watched, issued, twice>>

Step ==
  \/ Copy
  \/ \E r \in late : AppliesLate(r)
  \/ \E p \in Processes :
       \/ Applies(p) \/ Acquire(p) \/ Renew(p) \/ Release(p)
       \/ Acknowledge(p) \/ Fails(p) \/ Look(p) \/ Issue(p)

Next == Step /\ UNCHANGED bug
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
NoIdTwice == ~twice

WindowsDisjoint ==
  \A p \in Processes :
    MayIssue(p) /\ watched >= shared =>
      ~issued /\ \A q \in Processes \ {p} : ~MayIssue(q)

Report == Reported(bug, NoIdTwice /\ WindowsDisjoint)
Bounded == sent <= MaxWrites /\ ~IsFound(bug)
=============================================================================
