import { personOf } from "@steward/kernel/caller.js";
import type { PreparedStep } from "./plan.js";

/*
 * The authors of a plan: the persons who submitted it, appended or revised steps of it, or wrote a
 * plan that it was forked from, and those for whom an agent did so. None of them decides about its
 * approvals (Decision §18).
 */

/**
 * The steps of one change with their authors, which the first step names for all of them.
 * @param users ids of users; `undefined` for a caller who names none.
 */
export function writtenBy(
  steps: readonly PreparedStep[],
  ...users: readonly (string | undefined)[]
): readonly PreparedStep[] {
  const authors = users.filter((user) => user !== undefined);
  const [first, ...others] = steps;
  return first === undefined || authors.length === 0 ? steps : [{ ...first, authors }, ...others];
}

/** The authors after a change, each person once. */
export function authorsOf(
  steps: readonly Pick<PreparedStep, "authors">[],
  former: readonly string[] = [],
): readonly string[] {
  const byPerson = new Map(former.map((user) => [personOf(user), user]));
  for (const { authors = [] } of steps) {
    for (const user of authors) byPerson.set(personOf(user), user);
  }
  return byPerson.size === former.length ? former : [...byPerson.values()];
}
