---------------------------- MODULE LayoutChange ----------------------------
(***************************************************************************)
(* THE CHANGE OF LAYOUT: no tick is used with both layouts.                *)
(*                                                                         *)
(* The register of the namespace holds a change: its time, and whether it  *)
(* is proposed, fixed or recalled.  A process moves the fence of a         *)
(* worker's register (it acquires, renews or takes a block), then reads    *)
(* the change, and only then uses the window that it has moved: in the old *)
(* layout up to the time of the change, in the new layout from that time   *)
(* on and if the change is fixed.  It may use the new layout only if it    *)
(* has seen that the change is fixed before it writes, and gives a window  *)
(* back that it must not use.                                              *)
(*                                                                         *)
(* The tool proposes a time, reads one register after the other, and fixes *)
(* the change, or withdraws it if a fence is past its time.  To call a     *)
(* fixed change off, it recalls it, reads all registers, and removes it,   *)
(* or fixes it again; a proposal is removed at once.  It may stop between  *)
(* any two steps, and be run again.                                        *)
(*                                                                         *)
(* There are no clocks.  That windows of one worker are disjoint is        *)
(* checked in Lease.tla; here a write of a register is one step, and its   *)
(* result is known.  That the IDs of the two layouts differ in disjoint    *)
(* times is arithmetic (IdSpace).                                          *)
(*                                                                         *)
(* Invariant: Apart.  Bounds and the mutants that must fail:               *)
(* LayoutChangeSpecTest.                                                   *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Mistakes

CONSTANTS Processes, Workers, Horizon, MaxRuns, Bugs

VARIABLES
  change,    \* what the register of the namespace says
  fence,     \* worker -> the fence in its register
  writer,    \* process -> what it is about to do
  oldEnd,    \* every tick that may be used in the old layout is before it
  newBegin,  \* every tick that may be used in the new layout is it or later
  tool,      \* what the tool is about to do
  runs,      \* how often the tool was run
  bug        \* the mistake of this run; one of Bugs

vars == <<change, fence, writer, oldEnd, newBegin, tool, runs, bug>>

Bug(name) == bug = name
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Never == Horizon + 1
Ticks == 0 .. Horizon
None == [state |-> "none", at |-> Never]
Rest == [step |-> "rest"]

Init ==
  /\ change = None
  /\ fence = [w \in Workers |-> 0]
  /\ writer = [p \in Processes |-> Rest]
  /\ oldEnd = 0
  /\ newBegin = Never
  /\ tool = Rest
  /\ runs = 0
  /\ bug \in Bugs

-----------------------------------------------------------------------------
(* PROCESSES *)

\* Reads the change, to choose the layout.
Choose(p) ==
  /\ writer[p].step = "rest"
  /\ \E layout \in {"old", "new"} :
       /\ layout = "old" \/ change.state = "fixed"
          \/ (Bug("newOnProposal") /\ change.state = "proposed")
       /\ writer' = [writer EXCEPT ![p] = [step |-> "chosen", layout |-> layout, seen |-> change]]
  /\ UNCHANGED <<change, fence, oldEnd, newBegin, tool, runs>>

Write(p) ==
  /\ writer[p].step = "chosen"
  /\ \E w \in Workers, to \in Ticks :
       /\ to > fence[w]
       /\ fence' = [fence EXCEPT ![w] = to]
       /\ writer' = [writer EXCEPT ![p] =
            [step |-> "written", layout |-> @.layout, seen |-> @.seen,
             worker |-> w, from |-> fence[w], to |-> to]]
  /\ UNCHANGED <<change, oldEnd, newBegin, tool, runs>>

\* What a process takes the change for when it uses its window.
Known(p) ==
  IF Bug("readsBefore") \/ (Bug("newNotReadAgain") /\ writer[p].layout = "new")
  THEN writer[p].seen
  ELSE change

Use(p) ==
  /\ writer[p].step = "written"
  /\ LET known == Known(p)
         own == writer[p]
         end == IF known.state = "none" \/ (Bug("onlyFixedEnds") /\ known.state # "fixed")
                THEN own.to ELSE Min(own.to, known.at)
         begin == IF Bug("beginsEarly") THEN own.from ELSE Max(own.from, known.at)
         usable == known.state = "fixed" \/ (Bug("newOnProposal") /\ known.state = "proposed")
     IN IF own.layout = "old" /\ end > own.from
        THEN /\ oldEnd' = Max(oldEnd, end)
             /\ writer' = [writer EXCEPT ![p] = Rest]
             /\ UNCHANGED newBegin
        ELSE IF own.layout = "new" /\ usable /\ own.to > begin
        THEN /\ newBegin' = Min(newBegin, begin)
             /\ writer' = [writer EXCEPT ![p] = Rest]
             /\ UNCHANGED oldEnd
        ELSE /\ writer' = [writer EXCEPT ![p].step = "unused"]
             /\ UNCHANGED <<oldEnd, newBegin>>
  /\ UNCHANGED <<change, fence, tool, runs>>

\* Gives an unused window back, unless another process has the register, or stops before.
GiveBack(p) ==
  /\ writer[p].step = "unused"
  /\ \/ /\ fence[writer[p].worker] = writer[p].to
        /\ fence' = [fence EXCEPT ![writer[p].worker] = writer[p].from]
     \/ UNCHANGED fence
  /\ writer' = [writer EXCEPT ![p] = Rest]
  /\ UNCHANGED <<change, oldEnd, newBegin, tool, runs>>

-----------------------------------------------------------------------------
(* THE TOOL *)

Propose ==
  /\ tool.step = "rest" /\ runs < MaxRuns
  /\ change.state \in {"none", "proposed"}
  /\ \E at \in Ticks :
       /\ \/ ~Bug("readsRegistersBefore")
          \/ \A w \in Workers : fence[w] <= at
       /\ IF Bug("readsRegistersBefore")
          THEN tool' = [step |-> "propose", at |-> at] /\ UNCHANGED change
          ELSE /\ change' = [state |-> "proposed", at |-> at]
               /\ tool' = [step |-> "read", at |-> at, todo |-> Workers, goal |-> "fix"]
  /\ runs' = runs + 1
  /\ UNCHANGED <<fence, writer, oldEnd, newBegin>>

\* Of the mutant only: the registers were read before.
ProposeLate ==
  /\ tool.step = "propose"
  /\ change' = [state |-> "proposed", at |-> tool.at]
  /\ tool' = [step |-> "read", at |-> tool.at, todo |-> {}, goal |-> "fix"]
  /\ UNCHANGED <<fence, writer, oldEnd, newBegin, runs>>

Withdraw ==
  /\ tool.step = "rest" /\ runs < MaxRuns
  /\ change.state = "proposed"
  /\ change' = None
  /\ runs' = runs + 1
  /\ UNCHANGED <<fence, writer, oldEnd, newBegin, tool>>

Recall ==
  /\ tool.step = "rest" /\ runs < MaxRuns
  /\ change.state \in {"fixed", "recalled"} \/ (Bug("fixesProposals") /\ change.state = "proposed")
  /\ change' = IF Bug("recallsNothing") THEN change
               ELSE [change EXCEPT !.state = IF Bug("recallsToProposal") THEN "proposed" ELSE "recalled"]
  /\ tool' = [step |-> "read", at |-> change.at, goal |-> "remove",
              todo |-> IF Bug("callsOffUnread") THEN {} ELSE Workers]
  /\ runs' = runs + 1
  /\ UNCHANGED <<fence, writer, oldEnd, newBegin>>

ReadRegister(w) ==
  /\ tool.step = "read" /\ w \in tool.todo
  /\ tool' = IF fence[w] > tool.at
             THEN [step |-> "refuse", at |-> tool.at, goal |-> tool.goal]
             ELSE [tool EXCEPT !.todo = @ \ {w}]
  /\ UNCHANGED <<change, fence, writer, oldEnd, newBegin, runs>>

Finish ==
  /\ tool.step = "read" /\ tool.todo = {}
  /\ change' = IF tool.goal = "fix" THEN [state |-> "fixed", at |-> tool.at] ELSE None
  /\ tool' = Rest
  /\ UNCHANGED <<fence, writer, oldEnd, newBegin, runs>>

\* A proposal is withdrawn; a change that cannot be called off is fixed again.
Refuse ==
  /\ tool.step = "refuse"
  /\ change' = IF tool.goal = "fix" THEN None ELSE [state |-> "fixed", at |-> tool.at]
  /\ tool' = Rest
  /\ UNCHANGED <<fence, writer, oldEnd, newBegin, runs>>

Stop ==
  /\ tool.step # "rest"
  /\ tool' = Rest
  /\ UNCHANGED <<change, fence, writer, oldEnd, newBegin, runs>>

-----------------------------------------------------------------------------

Step ==
  \/ \E p \in Processes : Choose(p) \/ Write(p) \/ Use(p) \/ GiveBack(p)
  \/ Propose \/ ProposeLate \/ Withdraw \/ Recall \/ Finish \/ Refuse \/ Stop
  \/ \E w \in Workers : ReadRegister(w)

Next == Step /\ UNCHANGED bug
Spec == Init /\ [][Next]_vars

\* No tick of the old layout is at or past the first one of the new layout.
Apart == newBegin = Never \/ oldEnd <= newBegin

Symmetry == Permutations(Processes) \cup Permutations(Workers)
Bounded == ~IsFound(bug)

Report == Reported(bug, Apart)
=============================================================================
