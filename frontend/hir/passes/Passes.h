// The passes that turn a draft into a kernel. `prepare` and then `finish` run all of them. Between
// the two, the draft may become another one (frontend/gradients).
#pragma once

#include "frontend/hir/Draft.h"

namespace sextant::hir {

/// Gives each iteration of a parallel task a copy of what it stores into a variable of the kernel
/// before it reads it, by components. A later task reads what the last one stored.
void makeOwnCopies(Draft &draft);

/// Makes tasks compute values of arguments themselves, where an earlier task of one thread did and
/// it takes few operations. What then has no reader is left to `prune`.
void computeAgain(Draft &draft);

/// Makes a guarded return leave its serial task and set a flag. Later code of the task, and later
/// tasks, run only if the flag is not set.
void guardReturns(Draft &draft);

/// Makes the tasks of loops and checkpoints run only where the schedule's words say so.
void gateTasks(Draft &draft);

/// Removes assignments to locals that nothing reads, and statements that are empty then. Variables
/// that debuggers show stay, unless a serial task has nothing else.
void prune(Draft &draft);

/// Tells the schedule's buffer which tasks the spans have; docs/module-format.md has the text. No
/// pass removes tasks after that.
void writeSchedule(Draft &draft);

/// Gives a hidden buffer to each variable that one task writes and a later task reads, also in a
/// later round of a loop, or that is used as memory. A parallel task changes the variable in the
/// buffer. Another task loads it first and stores it last.
void carryLocals(Draft &draft);

/// Places the variables of threads whose components are indexed at run time: in an array of the
/// thread, or, if there are few of them or debuggers show them, in locals of which it chooses.
void placeVariables(Draft &draft);

/// Removes the arguments of Draft::members that no task uses, and their parameters. What only
/// derivatives have comes last: Draft::before, then Draft::gradients, then those of results.
void dropArguments(Draft &draft);

/// Gives hidden buffers their parameters, and each task its name and its own numbers of locals and
/// arrays.
Kernel renumber(Draft draft);

/// Replaces values of bf16 and of reals of 8 bits by their bits, and their arithmetic by arithmetic
/// in f32 that is rounded. The arguments stay as the application passes them.
void lowerSmallReals(Kernel &kernel);

/// Runs the passes until every variable has its place.
void prepare(Draft &draft);
/// Runs the others.
Kernel finish(Draft draft);

} // namespace sextant::hir
