------------------------------- MODULE Blocks -------------------------------
(***************************************************************************)
(* NAMED BLOCKS: no ID is of two names, and a name has one block.          *)
(*                                                                         *)
(* A block is a window of ID time of one worker that is acquired and       *)
(* released by one compare-and-set: the fence in the worker's register     *)
(* moves from what it was, or later, to the end of the block.  Here a      *)
(* block is one tick.  Its name is two more registers: that of the job     *)
(* holds the job's generation and shape, that of a page the generation,    *)
(* the shape and the block.                                                *)
(*                                                                         *)
(* A task opens the job: it writes the register, also one that it finds,   *)
(* unless that says that it was kept, and goes on once its write was       *)
(* acknowledged.  Then it reads the page.  If the page has a block of this *)
(* generation, it writes the register again; else it reserves a block, and *)
(* writes it there once the reservation was acknowledged.  It uses the     *)
(* block once the write of the page was acknowledged.  Another shape is    *)
(* refused, in both registers.  Of an outcome that is unknown it learns    *)
(* nothing, and begins anew; a block that it has reserved it keeps, unless *)
(* the job was forgotten meanwhile: the page may have named it before.     *)
(*                                                                         *)
(* To forget a job is to write that into its register; the next task to    *)
(* open it begins a new generation, with any shape.  Registers are never   *)
(* removed.                                                                *)
(*                                                                         *)
(* The store is that of Acknowledged.tla: a read shows the newest write, a *)
(* failover takes back what was not kept, and a write is acknowledged only *)
(* when it is kept.  That fences hold against leases is checked in         *)
(* Lease.tla; here one holder takes ticks of the same worker.              *)
(*                                                                         *)
(* Invariants: Unique, Stable, OneShape, OneName.  Bounds and the mistakes *)
(* that must be found: BlocksSpecTest.                                     *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Mistakes

CONSTANTS Tasks, Pages, Shapes, Horizon, MaxWrites, MaxFailovers, MaxForgets, MaxLeases, MaxTail, Bugs

VARIABLES
  tail,       \* states of the store: the first is kept, the last is what a read shows
  given,      \* how many versions were given
  failovers, forgets, leases,
  wants,      \* task -> the page and the shape that it asks with
  task,       \* task -> its step
  used,       \* what tasks use: page, generation, shape and block
  holder,     \* the tick that the holder has written and does not know of, or none
  leased,     \* ticks that the holder may use
  bug         \* the mistake of this run; one of Bugs

vars == <<tail, given, failovers, forgets, leases, wants, task, used, holder, leased, bug>>

Bug(name) == bug = name
Seen == tail[Len(tail)]
Kept == tail[1]
NoTick == -1
Nothing == [version |-> 0, gen |-> 0]
\* own: a block that was reserved and not named, and the generation in which it was.
Start(own) == [at |-> "start", own |-> own]
NoOwn == [block |-> NoTick, gen |-> 0]
Waiting == {"jobWritten", "blockWritten", "pageWritten"}

Init ==
  /\ tail = << [last |-> 0, fence |-> 0, job |-> Nothing, page |-> [p \in Pages |-> Nothing]] >>
  /\ given = 0
  /\ failovers = 0
  /\ forgets = 0
  /\ leases = 0
  /\ wants \in [Tasks -> [page : Pages, shape : Shapes]]
  /\ task = [t \in Tasks |-> Start(NoOwn)]
  /\ used = {}
  /\ holder = [tick |-> NoTick, version |-> 0]
  /\ leased = {}
  /\ bug \in Bugs

-----------------------------------------------------------------------------
(* THE STORE *)

Keeps ==
  /\ Len(tail) > 1
  /\ tail' = Tail(tail)
  /\ UNCHANGED <<given, failovers, forgets, leases, wants, task, used, holder, leased>>

\* A state carries the version of the write that made it, so all up to it are kept with it.
IsKept(version) == \A i \in 2 .. Len(tail) : tail[i].last # version

\* A caller whose write was taken back gets no reply, or an unknown outcome.
FailsOver ==
  /\ Len(tail) > 1
  /\ failovers < MaxFailovers
  /\ failovers' = failovers + 1
  /\ \E n \in 1 .. Len(tail) - 1 :
       LET lost == {tail[i].last : i \in n + 1 .. Len(tail)} IN
       /\ tail' = SubSeq(tail, 1, n)
       /\ task' = [t \in Tasks |->
            IF task[t].at \in Waiting /\ task[t].version \in lost
            THEN Start(task[t].own) ELSE task[t]]
       /\ holder' = IF holder.tick # NoTick /\ holder.version \in lost
                    THEN [tick |-> NoTick, version |-> 0] ELSE holder
  /\ UNCHANGED <<given, forgets, leases, wants, used, leased>>

CanWrite == Len(tail) < MaxTail /\ given < MaxWrites

\* The state with a register changed; its version is given + 1.
Write(state) ==
  /\ CanWrite
  /\ tail' = Append(tail, [state EXCEPT !.last = given + 1])
  /\ given' = given + 1

Step(t, step) == task' = [task EXCEPT ![t] = step]

-----------------------------------------------------------------------------
(* THE HOLDER OF A LEASE *)

HolderWrites ==
  /\ holder.tick = NoTick
  /\ leases < MaxLeases
  /\ Seen.fence < Horizon
  /\ Write([Seen EXCEPT !.fence = @ + 1])
  /\ holder' = [tick |-> Seen.fence, version |-> given + 1]
  /\ leases' = leases + 1
  /\ UNCHANGED <<failovers, forgets, wants, task, used, leased>>

HolderLearns ==
  /\ holder.tick # NoTick
  /\ IsKept(holder.version)
  /\ leased' = leased \cup {holder.tick}
  /\ holder' = [tick |-> NoTick, version |-> 0]
  /\ UNCHANGED <<tail, given, failovers, forgets, leases, wants, task, used>>

-----------------------------------------------------------------------------
(* THE OPERATOR *)

Forgets ==
  /\ forgets < MaxForgets
  /\ Seen.job.version # 0
  /\ ~Seen.job.forgotten
  /\ Write([Seen EXCEPT !.job = [@ EXCEPT !.forgotten = TRUE, !.kept = FALSE, !.version = given + 1]])
  /\ forgets' = forgets + 1
  /\ UNCHANGED <<failovers, leases, wants, task, used, holder, leased>>

-----------------------------------------------------------------------------
(* A TASK *)

Shape(t) == wants[t].shape
Page(t) == Seen.page[wants[t].page]

ReadJob(t) ==
  /\ task[t].at = "start"
  /\ LET job == Seen.job
         own == task[t].own
         found == job.version # 0 /\ ~job.forgotten
     IN Step(t,
          CASE ~found ->
                 [at |-> "job", own |-> own, seen |-> job.version, gen |-> job.gen + 1, shape |-> Shape(t)]
            [] found /\ job.shape # Shape(t) /\ ~Bug("shapeIgnored") ->
                 [at |-> "refused", own |-> own]
            [] found /\ (job.shape = Shape(t) \/ Bug("shapeIgnored")) /\ job.kept ->
                 [at |-> "page", own |-> own, gen |-> job.gen]
            [] OTHER ->
                 [at |-> "job", own |-> own, seen |-> job.version, gen |-> job.gen, shape |-> job.shape])
  /\ UNCHANGED <<tail, given, failovers, forgets, leases, wants, used, holder, leased>>

\* The mistake jobAfterPage: the block counts before the register of the job is written.
WriteJob(t) ==
  /\ task[t].at = "job"
  /\ IF Seen.job.version = task[t].seen
     THEN IF Bug("jobAfterPage")
          THEN /\ Step(t, [at |-> "page", own |-> task[t].own, gen |-> task[t].gen])
               /\ UNCHANGED <<tail, given>>
          ELSE /\ Write([Seen EXCEPT !.job =
                    [version |-> given + 1, gen |-> task[t].gen, shape |-> task[t].shape,
                     forgotten |-> FALSE, kept |-> FALSE]])
               /\ Step(t, [at |-> "jobWritten", own |-> task[t].own, gen |-> task[t].gen,
                           version |-> given + 1])
     ELSE Step(t, Start(task[t].own)) /\ UNCHANGED <<tail, given>>
  /\ UNCHANGED <<failovers, forgets, leases, wants, used, holder, leased>>

\* That the write was kept may be written, which saves others that write.
JobLearned(t) ==
  /\ task[t].at = "jobWritten"
  /\ IsKept(task[t].version)
  /\ Step(t, [at |-> "page", own |-> task[t].own, gen |-> task[t].gen])
  /\ \/ UNCHANGED <<tail, given>>
     \/ /\ Seen.job.version = task[t].version
        /\ Write([Seen EXCEPT !.job = [@ EXCEPT !.kept = TRUE, !.version = given + 1]])
  /\ UNCHANGED <<failovers, forgets, leases, wants, used, holder, leased>>

Use(t, gen, block) ==
  used' = used \cup {[page |-> wants[t].page, gen |-> gen, shape |-> Shape(t), block |-> block]}

ReadPage(t) ==
  /\ task[t].at = "page"
  /\ LET page == Page(t)
         own == task[t].own
         gen == task[t].gen
         old == page.gen < gen /\ ~(Bug("oldGenerationCounts") /\ page.version # 0)
         \* A block that was reserved before the job was forgotten may have been named then.
         keeps == own.block # NoTick /\ (own.gen >= gen \/ Bug("ownBlockKept"))
     IN CASE page.gen > gen ->
               Step(t, Start(own)) /\ UNCHANGED used
          [] page.gen <= gen /\ old ->
               /\ Step(t, [at |-> IF keeps THEN "name" ELSE "reserve", own |-> own, gen |-> gen,
                           seen |-> page.version, block |-> own.block])
               /\ UNCHANGED used
          [] page.gen <= gen /\ ~old /\ page.shape # Shape(t) /\ ~Bug("shapeIgnored") ->
               Step(t, [at |-> "refused", own |-> own]) /\ UNCHANGED used
          [] OTHER ->
               IF Bug("pageReadTrusted")
               THEN Use(t, gen, page.block) /\ Step(t, [at |-> "done", own |-> own])
               ELSE /\ Step(t, [at |-> "name", own |-> own, gen |-> gen, seen |-> page.version,
                                block |-> page.block])
                    /\ UNCHANGED used
  /\ UNCHANGED <<tail, given, failovers, forgets, leases, wants, holder, leased>>

WriteBlock(t) ==
  /\ task[t].at = "reserve"
  /\ LET from == IF Bug("blockBelowFence") /\ Seen.fence > 0 THEN Seen.fence - 1 ELSE Seen.fence
     IN \E begin \in from .. Horizon - 1 :
          /\ Write([Seen EXCEPT !.fence = IF begin < @ THEN @ ELSE begin + 1])
          /\ Step(t, IF Bug("pageBeforeBlock")
                     THEN [task[t] EXCEPT !.at = "name", !.own = [block |-> begin, gen |-> task[t].gen],
                                          !.block = begin]
                     ELSE [at |-> "blockWritten", own |-> task[t].own, gen |-> task[t].gen,
                           seen |-> task[t].seen, block |-> begin, version |-> given + 1])
  /\ UNCHANGED <<failovers, forgets, leases, wants, used, holder, leased>>

BlockLearned(t) ==
  /\ task[t].at = "blockWritten"
  /\ IsKept(task[t].version)
  /\ Step(t, [at |-> "name", own |-> [block |-> task[t].block, gen |-> task[t].gen],
              gen |-> task[t].gen, seen |-> task[t].seen, block |-> task[t].block])
  /\ UNCHANGED <<tail, given, failovers, forgets, leases, wants, used, holder, leased>>

\* Writes the block into the page, or once more if it stands there.
WritePage(t) ==
  /\ task[t].at = "name"
  /\ IF Page(t).version = task[t].seen \/ Bug("pageWrittenBlindly")
     THEN /\ Write([Seen EXCEPT !.page[wants[t].page] =
               [version |-> given + 1, gen |-> task[t].gen, shape |-> Shape(t), block |-> task[t].block]])
          /\ Step(t, [at |-> "pageWritten", own |-> task[t].own, gen |-> task[t].gen,
                      block |-> task[t].block, version |-> given + 1])
     ELSE Step(t, Start(task[t].own)) /\ UNCHANGED <<tail, given>>
  /\ UNCHANGED <<failovers, forgets, leases, wants, used, holder, leased>>

PageLearned(t) ==
  /\ task[t].at = "pageWritten"
  /\ IsKept(task[t].version)
  /\ Use(t, task[t].gen, task[t].block)
  /\ Step(t, [at |-> "done", own |-> task[t].own])
  /\ UNCHANGED <<tail, given, failovers, forgets, leases, wants, holder, leased>>

\* The reply is lost, and the outcome unknown.
Unknown(t) ==
  /\ task[t].at \in Waiting
  /\ CASE Bug("unknownBlockCounts") /\ task[t].at = "blockWritten" ->
            /\ Step(t, [at |-> "name", own |-> [block |-> task[t].block, gen |-> task[t].gen],
                        gen |-> task[t].gen, seen |-> task[t].seen, block |-> task[t].block])
            /\ UNCHANGED used
       [] Bug("unknownPageCounts") /\ task[t].at = "pageWritten" ->
            Use(t, task[t].gen, task[t].block) /\ Step(t, [at |-> "done", own |-> task[t].own])
       [] OTHER ->
            Step(t, Start(task[t].own)) /\ UNCHANGED used
  /\ UNCHANGED <<tail, given, failovers, forgets, leases, wants, holder, leased>>

Action ==
  \/ Keeps \/ FailsOver \/ HolderWrites \/ HolderLearns \/ Forgets
  \/ \E t \in Tasks :
       \/ ReadJob(t) \/ WriteJob(t) \/ JobLearned(t)
       \/ ReadPage(t) \/ WriteBlock(t) \/ BlockLearned(t) \/ WritePage(t) \/ PageLearned(t)
       \/ Unknown(t)

Next == Action /\ UNCHANGED bug
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* No tick is of a block and of the holder.
Unique == \A u \in used : u.block \notin leased
\* A page of one generation has one block.
Stable == \A u, v \in used : u.page = v.page /\ u.gen = v.gen => u.block = v.block
\* A generation has one shape, whichever page is asked for.
OneShape == \A u, v \in used : u.gen = v.gen => u.shape = v.shape
\* A block has one name.
OneName == \A u, v \in used : u.block = v.block => u = v
Symmetry == Permutations(Tasks) \cup Permutations(Shapes) \cup Permutations(Pages)
Report == Reported(bug, Unique /\ Stable /\ OneShape /\ OneName)
Bounded == ~IsFound(bug)
=============================================================================
