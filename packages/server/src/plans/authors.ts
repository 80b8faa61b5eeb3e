import {
  type Caller,
  hasSameRights,
  personOf,
  type RecordedCaller,
  recordedCaller,
} from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { STEP_WRITERS_MAX } from "./limits.js";
import type { PreparedStep } from "./plan.js";

/*
 * The writers of a step are the callers whose statement it is: policies must permit it to each of them, with
 * the rights that they had when they wrote it, and to the caller who executes it.
 *
 * The authors of a plan are the persons who submitted it, appended or revised steps of it, or wrote a
 * plan that it was forked from, and those for whom an agent did so. None of them decides about its
 * approvals (Decision §18).
 */

/**
 * The steps as the caller writes them.
 * @param former The steps whose statements the caller has taken over; their writers remain writers.
 * @throws AppError `LIMIT_EXCEEDED`.
 */
export function writtenBy(
  caller: Caller,
  steps: readonly PreparedStep[],
  former: readonly (PreparedStep | undefined)[] = [],
): readonly PreparedStep[] {
  const alone = [recordedCaller(caller)];
  return steps.map((step, index) => {
    const earlier = former[index]?.writers?.filter((writer) => !hasSameRights(writer, caller));
    const writers = earlier === undefined ? alone : [...earlier, ...alone];
    if (writers.length <= STEP_WRITERS_MAX) return Object.assign({}, step, { writers });
    throw new AppError(
      "LIMIT_EXCEEDED",
      `Step ${step.id} has ${String(STEP_WRITERS_MAX)} writers, which is the limit: submit its statement in a new plan`,
    );
  });
}

/** A step that the caller gave another name: an author of the plan, and no writer of the statement. */
export function renamedBy(
  { userId }: Caller,
  { writers }: PreparedStep,
  { writers: _renamer, ...step }: PreparedStep,
): PreparedStep {
  return {
    ...step,
    ...(writers === undefined ? {} : { writers }),
    ...(userId === undefined ? {} : { authors: [userId] }),
  };
}

/** The caller who executes a step, with those of its writers who had other rights. */
export function withWriters<C extends Caller>(caller: C, { writers = [] }: PreparedStep): C {
  if (writers.every((writer) => hasSameRights(writer, caller))) return caller;
  return { ...caller, writers: writers.filter((writer) => !hasSameRights(writer, caller)) };
}

/** The authors after a change, each person once. */
export function authorsOf(
  steps: readonly Pick<PreparedStep, "authors" | "writers">[],
  former: readonly string[] = [],
): readonly string[] {
  const byPerson = new Map(former.map((user) => [personOf(user), user]));
  let latest: readonly RecordedCaller[] | undefined;
  for (const { authors = [], writers = [] } of steps) {
    for (const user of authors) byPerson.set(personOf(user), user);
    if (writers === latest) continue;
    latest = writers;
    for (const { userId } of writers) {
      if (userId !== undefined) byPerson.set(personOf(userId), userId);
    }
  }
  return byPerson.size === former.length ? former : [...byPerson.values()];
}
