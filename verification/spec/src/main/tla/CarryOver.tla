------------------------------ MODULE CarryOver ------------------------------
(***************************************************************************)
(* THE CARRY-OVER FILE: the rest of a window is used once.                 *)
(*                                                                         *)
(* A process that closes while its store is down sends no release, and     *)
(* leaves the rest of its window in a file, with the inode of that file.   *)
(* A process that starts while the store is down takes the file by a       *)
(* rename, empties it, and uses the rest if the inode is the file's own.   *)
(* The emptied file stays, so its inode is not given to another one.  A    *)
(* rest is not renewed, not released and not left again.                   *)
(*                                                                         *)
(* Anyone copies the file at any time, and puts the copy in its place      *)
(* later.  A release that was sent arrives at any time, or never.  There   *)
(* are no clocks: whether the store is down, another answer will do at     *)
(* each look, and windows have any length.  Each step on the file is       *)
(* forced to the disk before the next one.  A snapshot of the machine's    *)
(* memory is not modeled: it has the file once more.                       *)
(*                                                                         *)
(* Invariant: NoTickTwice.  Bounds and the mutants that must fail:         *)
(* CarryOverSpecTest.                                                      *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Mistakes

CONSTANTS Processes, Horizon, MaxWrites, MaxFiles, Bugs

VARIABLES
  register, \* of the worker: its fence and version
  late,     \* the releases that may still arrive
  process,  \* process -> what it has, and is about to do
  file,     \* what stands in the place of the file
  copy,     \* a copy of it
  inodes,   \* the inodes that are in use
  issued,   \* the ticks of which an ID was issued
  twice,    \* whether a tick was issued twice
  bug       \* the mistake of this run; one of Bugs

vars == <<register, late, process, file, copy, inodes, issued, twice, bug>>

Bug(name) == bug = name
Nothing == [text |-> "none"]
Out == [step |-> "out"]

Init ==
  /\ register = [fence |-> 0, version |-> 0]
  /\ late = {}
  /\ process = [p \in Processes |-> Out]
  /\ file = Nothing
  /\ copy = Nothing
  /\ inodes = {}
  /\ issued = {}
  /\ twice = FALSE
  /\ bug \in Bugs

Becomes(p, next) == process' = [process EXCEPT ![p] = next]

-----------------------------------------------------------------------------
(* THE STORE *)

\* A window begins at the fence, whether the worker is held or not.
Lease(p) ==
  /\ process[p] = Out
  /\ \E to \in register.fence + 1 .. Horizon :
       /\ register' = [fence |-> to, version |-> register.version + 1]
       /\ Becomes(p, [step |-> "runs", own |-> TRUE, from |-> register.fence,
                      next |-> register.fence, to |-> to, version |-> register.version + 1])
  /\ UNCHANGED <<late, file, copy, inodes, issued, twice>>

ReleaseArrives ==
  \E release \in late :
    /\ late' = late \ {release}
    /\ register' = IF register.version = release.expect
                   THEN [fence |-> release.fence, version |-> register.version + 1]
                   ELSE register
    /\ UNCHANGED <<process, file, copy, inodes, issued, twice>>

Releases(p) == late' = late \cup {[expect |-> process[p].version, fence |-> process[p].next]}

-----------------------------------------------------------------------------
(* A PROCESS *)

Draw(p) ==
  /\ process[p].step \in {"runs", "left"}
  /\ \E tick \in process[p].next .. process[p].to - 1 :
       /\ twice' = (twice \/ tick \in issued)
       /\ issued' = issued \cup {tick}
       /\ process' = [process EXCEPT ![p].next = tick + 1]
  /\ UNCHANGED <<register, late, file, copy, inodes>>

\* The store answers: the worker is given back.
GiveBack(p) ==
  /\ process[p].step = "runs" /\ process[p].own
  /\ Releases(p)
  /\ Becomes(p, Out)
  /\ UNCHANGED <<register, file, copy, inodes, issued, twice>>

\* The store does not answer: the rest is left in a file.  One that stands there is emptied.
Leave(p) ==
  /\ process[p].step = "runs" /\ (process[p].own \/ Bug("leftAgain"))
  /\ \E inode \in (1 .. MaxFiles) \ inodes :
       /\ inodes' = inodes \cup {inode}
       /\ file' = [text |-> "rest", inode |-> inode, written |-> inode, to |-> process[p].to,
                   from |-> IF Bug("leavesWhole") \/ ~process[p].own
                            THEN process[p].from ELSE process[p].next]
  /\ IF Bug("releasesToo") THEN Releases(p) ELSE UNCHANGED late
  /\ Becomes(p, IF Bug("leavesBeforeClosed") THEN [process[p] EXCEPT !.step = "left"] ELSE Out)
  /\ UNCHANGED <<register, copy, issued, twice>>

\* Killed, or a rest that is lost when the store is back.
End(p) ==
  /\ process[p].step \in {"runs", "left"}
  /\ Becomes(p, Out)
  /\ UNCHANGED <<register, late, file, copy, inodes, issued, twice>>

Take(p) ==
  /\ process[p] = Out /\ file # Nothing
  /\ file' = IF Bug("readNotRenamed") THEN file ELSE Nothing
  /\ Becomes(p, [step |-> "took", file |-> file])
  /\ UNCHANGED <<register, late, copy, inodes, issued, twice>>

Judge(p) ==
  /\ process[p].step = "took"
  /\ LET taken == process[p].file IN
     /\ Becomes(p, IF taken.inode = taken.written \/ Bug("copyCounts")
                   THEN [step |-> "runs", own |-> FALSE, from |-> taken.from,
                         next |-> taken.from, to |-> taken.to, version |-> 0]
                   ELSE Out)
     /\ inodes' = IF Bug("spentRemoved") THEN inodes \ {taken.inode} ELSE inodes
  /\ UNCHANGED <<register, late, file, copy, issued, twice>>

-----------------------------------------------------------------------------
(* ANYONE *)

Copy ==
  /\ file # Nothing /\ copy = Nothing
  /\ copy' = file
  /\ UNCHANGED <<register, late, process, file, inodes, issued, twice>>

PutBack ==
  /\ copy # Nothing /\ file = Nothing
  /\ \E inode \in (1 .. MaxFiles) \ inodes :
       /\ inodes' = inodes \cup {inode}
       /\ file' = [copy EXCEPT !.inode = inode]
  /\ copy' = Nothing
  /\ UNCHANGED <<register, late, process, issued, twice>>

Step ==
  \/ ReleaseArrives \/ Copy \/ PutBack
  \/ \E p \in Processes :
       Lease(p) \/ Draw(p) \/ GiveBack(p) \/ Leave(p) \/ End(p) \/ Take(p) \/ Judge(p)

Next == Step /\ UNCHANGED bug
Spec == Init /\ [][Next]_vars
Symmetry == Permutations(Processes)

-----------------------------------------------------------------------------
NoTickTwice == ~twice

Report == Reported(bug, NoTickTwice)
Bounded == register.version <= MaxWrites /\ ~IsFound(bug)
=============================================================================
