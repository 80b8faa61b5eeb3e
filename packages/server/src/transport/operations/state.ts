import { type InputOf, state as operations } from "@steward/operations";
import { invalidField } from "@steward/kernel/errors.js";
import { commitId, commitOfId, type Hash } from "@steward/state";
import {
  STATE_LOG_PAGE_DEFAULT,
  STATE_QUADS_PAGE_DEFAULT,
  STATE_SOLUTIONS_MAX,
} from "../limits.js";
import { ResourceRights } from "../resource-rights.js";
import { hashOrNone } from "../rest/state/state-document-routes.js";
import {
  answerMessage,
  commitMessage,
  diffMessage,
  faultMessage,
  mergeConflict,
  mergedMessage,
  pageMessage,
  patternOf,
  proofMessage,
  quadOfTerms,
  quadPatternOf,
  revertConflict,
  revertedMessage,
  solutionsMessage,
} from "../rest/state/state-messages.js";
import type { Services } from "../services.js";
import { implement, type Implemented } from "./implement.js";

/** The default branch. */
const MAIN = "main";

/** What the operations on refs, commits and quads do. */
export function stateReads({
  state,
  authorize,
}: Pick<Services, "state" | "authorize">): readonly Implemented[] {
  const rights = new ResourceRights(authorize);
  return [
    implement(operations.listStateRefs, async ({ context }) =>
      (await state.refs(context)).map(({ name, commit }) => ({ name, commit: commitId(commit) })),
    ),
    implement(operations.moveStateRef, async ({ input: { name, commit, expected }, context }) => {
      await rights.moveRef(context, name);
      const next = commit === null ? undefined : await state.commitOf(context, commit);
      await state.moveRef(context, { name, expected: hashOrNone(expected), next });
      return { name, commit: next === undefined ? null : commitId(next) };
    }),
    implement(operations.getStateLog, async ({ input, context }) => {
      const { from = MAIN, limit = STATE_LOG_PAGE_DEFAULT } = input;
      return (await state.log(context, from, limit)).map(commitMessage);
    }),
    implement(operations.getStateDiff, async ({ input, context }) => {
      const { from, to = MAIN, limit = STATE_QUADS_PAGE_DEFAULT } = input;
      return diffMessage(await state.diff(context, from, to, limit));
    }),
    implement(operations.getStateAt, async ({ input, context }) => {
      const { at = MAIN, offset = 0, limit = STATE_QUADS_PAGE_DEFAULT, ...pattern } = input;
      return pageMessage(await state.at(context, at, patternOf(pattern), { offset, limit }));
    }),
    implement(operations.queryState, async ({ input, context }) => {
      const { at = MAIN, sparql, patterns, limit = STATE_SOLUTIONS_MAX } = input;
      if ((sparql === undefined) === (patterns === undefined)) {
        throw invalidField("sparql", "give either sparql or patterns");
      }
      if (sparql !== undefined) return answerMessage(await state.query(context, at, sparql));
      const parsed = (patterns ?? []).map(quadPatternOf);
      return solutionsMessage(parsed, await state.solve(context, at, parsed, limit));
    }),
  ];
}

/** What proofs, merges, reverts and the upkeep do. */
export function stateChanges({
  state,
  authorize,
}: Pick<Services, "state" | "authorize">): readonly Implemented[] {
  const rights = new ResourceRights(authorize);
  return [
    implement(operations.proveState, async ({ input: { at = MAIN, ...terms }, context }) => {
      const asked = quadOfTerms(terms);
      return proofMessage(asked, await state.proof(context, at, asked));
    }),
    implement(operations.mergeState, async ({ input, context }) => {
      const { branch = MAIN, from, message, preview = false } = input;
      const order = { branch, from, message, ...commonOrder(input) };
      const writer = await rights.writeBranch(context, branch);
      const outcome = await state.merge(writer, order, preview);
      if (!preview && outcome.conflicts.length > 0) throw mergeConflict(outcome);
      return mergedMessage(outcome);
    }),
    implement(operations.revertState, async ({ input, context }) => {
      const { branch = MAIN, commit, message, preview = false } = input;
      const order = { branch, commit, message, ...commonOrder(input) };
      const writer = await rights.writeBranch(context, branch);
      const outcome = await state.revert(writer, order, preview);
      if (!preview && outcome.conflicts.length > 0) throw revertConflict(outcome);
      return revertedMessage(outcome);
    }),
    implement(operations.checkState, async ({ context }) =>
      (await state.check(context)).map(faultMessage),
    ),
    implement(operations.collectState, ({ context }) => state.collect(context)),
  ];
}

/** The options that merges and reverts share. */
function commonOrder({
  single_valued = [],
  expected,
}: Pick<InputOf<typeof operations.mergeState>, "single_valued" | "expected">): {
  readonly singleValued: ReadonlySet<string>;
  readonly expected: Hash | undefined;
} {
  return {
    singleValued: new Set(single_valued),
    expected: expected === undefined ? undefined : commitOfId(expected, "expected"),
  };
}
