import {
  dataOf,
  movedStateRefSchema,
  moveStateRefSchema,
  stateAnswerSchema,
  stateAtQuerySchema,
  stateCollectionSchema,
  stateCommitSchema,
  stateDiffQuerySchema,
  stateDiffSchema,
  stateFaultSchema,
  stateLogQuerySchema,
  type StateMerge,
  stateMergedSchema,
  stateMergeSchema,
  statePageSchema,
  stateProofQuerySchema,
  stateProofSchema,
  stateQuerySchema,
  stateRefSchema,
  stateRevertedSchema,
  stateRevertSchema,
} from "@steward/protocol/rest";
import * as z from "zod";
import { invalidField } from "@steward/kernel/errors.js";
import {
  STATE_LOG_PAGE_DEFAULT,
  STATE_QUADS_PAGE_DEFAULT,
  STATE_SOLUTIONS_MAX,
} from "../../limits.js";
import { commitId, commitOfId, type Hash, type StateService } from "@steward/state";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";
import type { ResourceRights } from "../../resource-rights.js";
import { addDocumentRoutes, hashOrNone } from "./state-document-routes.js";
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
} from "./state-messages.js";

const tags = ["State"];
/** The default branch. */
const MAIN = "main";

/** The state of the caller's organization (Decision §13). */
export function addStateRoutes(app: RestApp, state: StateService, rights: ResourceRights): void {
  addRefs(app, state, rights);
  addLog(app, state);
  addDiff(app, state);
  addAt(app, state);
  addQuery(app, state);
  addDocumentRoutes(app, state, rights);
  addProof(app, state);
  addMerge(app, state, rights);
  addRevert(app, state, rights);
  addUpkeep(app, state);
}

function addRefs(app: RestApp, state: StateService, rights: ResourceRights): void {
  const list = {
    operationId: "listStateRefs",
    summary: "List the branches and tags",
    description: "Every branch and tag of your organization, with the commit that each points to.",
    tags,
    response: { 200: json("The refs", dataOf(z.array(stateRefSchema).readonly())), ...errors() },
  };
  app.get("/api/state/refs", { schema: list }, async ({ context }) => ({
    data: (await state.refs(context)).map(({ name, commit }) => ({
      name,
      commit: commitId(commit),
    })),
  }));
  const move = {
    operationId: "moveStateRef",
    summary: "Move, create or delete a branch or a tag",
    description:
      "Succeeds only if the branch or tag points to the expected commit; otherwise nothing changes.",
    tags,
    body: moveStateRefSchema,
    response: { 200: json("It is there", dataOf(movedStateRefSchema)), ...errors(404, 409) },
  };
  app.post("/api/state/refs", { schema: move }, async ({ body, context }) => {
    const { name } = body;
    await rights.moveRef(context, name);
    const next = body.commit === null ? undefined : await state.commitOf(context, body.commit);
    await state.moveRef(context, { name, expected: hashOrNone(body.expected), next });
    return { data: { name, commit: next === undefined ? null : commitId(next) } };
  });
}

function addLog(app: RestApp, state: StateService): void {
  const schema = {
    operationId: "getStateLog",
    summary: "List commits, the newest first",
    description: "The history from a branch, a tag or a commit backwards.",
    tags,
    querystring: stateLogQuerySchema,
    response: {
      200: json("The commits", dataOf(z.array(stateCommitSchema).readonly())),
      ...errors(404),
    },
  };
  app.get("/api/state/log", { schema }, async ({ query, context }) => {
    const { from = MAIN, limit = STATE_LOG_PAGE_DEFAULT } = query;
    return { data: (await state.log(context, from, limit)).map(commitMessage) };
  });
}

function addDiff(app: RestApp, state: StateService): void {
  const schema = {
    operationId: "getStateDiff",
    summary: "List the changes between two commits",
    description: "The quads that only one of the two commits has, up to a limit for each kind.",
    tags,
    querystring: stateDiffQuerySchema,
    response: { 200: json("The changes", dataOf(stateDiffSchema)), ...errors(404) },
  };
  app.get("/api/state/diff", { schema }, async ({ query, context }) => {
    const { from, to = MAIN, limit = STATE_QUADS_PAGE_DEFAULT } = query;
    return { data: diffMessage(await state.diff(context, from, to, limit)) };
  });
}

function addAt(app: RestApp, state: StateService): void {
  const schema = {
    operationId: "getStateAt",
    summary: "Read the quads of a commit that have these terms",
    description:
      "The quads that match the given terms; without any term, every quad. One page at a time.",
    tags,
    querystring: stateAtQuerySchema,
    response: { 200: json("The quads", dataOf(statePageSchema)), ...errors(404) },
  };
  app.get("/api/state/at", { schema }, async ({ query, context }) => {
    const { at = MAIN, offset = 0, limit = STATE_QUADS_PAGE_DEFAULT, ...pattern } = query;
    const page = await state.at(context, at, patternOf(pattern), { offset, limit });
    return { data: pageMessage(page) };
  });
}

function addQuery(app: RestApp, state: StateService): void {
  const schema = {
    operationId: "queryState",
    summary: "Query a commit by SPARQL or by patterns",
    description:
      "SPARQL 1.1 SELECT, ASK, CONSTRUCT and DESCRIBE, with triple terms and base directions as in SPARQL 1.2, over " +
      "datasets of any size, as long as the query's patterns do not match too many quads; terms are " +
      "returned exactly as they are stored. Solutions have the shape of the SPARQL 1.2 Query Results JSON Format.",
    tags,
    body: stateQuerySchema,
    response: { 200: json("The answer", dataOf(stateAnswerSchema)), ...errors(404, 413, 501, 504) },
  };
  app.post("/api/state/query", { schema }, async ({ body, context }) => {
    const { at = MAIN, sparql, patterns, limit = STATE_SOLUTIONS_MAX } = body;
    if ((sparql === undefined) === (patterns === undefined)) {
      throw invalidField("sparql", "give either sparql or patterns");
    }
    if (sparql !== undefined) {
      return { data: answerMessage(await state.query(context, at, sparql)) };
    }
    const parsed = (patterns ?? []).map(quadPatternOf);
    return { data: solutionsMessage(parsed, await state.solve(context, at, parsed, limit)) };
  });
}

function addProof(app: RestApp, state: StateService): void {
  const schema = {
    operationId: "proveState",
    summary: "Prove that a commit contains or lacks a quad",
    description: "Anybody who trusts the commit's id can check the proof without this server.",
    tags,
    querystring: stateProofQuerySchema,
    response: { 200: json("The proof", dataOf(stateProofSchema)), ...errors(404) },
  };
  app.get("/api/state/proof", { schema }, async ({ query, context }) => {
    const { at = MAIN, ...terms } = query;
    const asked = quadOfTerms(terms);
    return { data: proofMessage(asked, await state.proof(context, at, asked)) };
  });
}

function addMerge(app: RestApp, state: StateService, rights: ResourceRights): void {
  const schema = {
    operationId: "mergeState",
    summary: "Merge a commit into a branch",
    description:
      "With conflicts nothing changes: the answer is 409, a conflict in each detail. A preview changes nothing " +
      "either and tells them one by one.",
    tags,
    body: stateMergeSchema,
    response: { 200: json("The result", dataOf(stateMergedSchema)), ...errors(404, 409) },
  };
  app.post("/api/state/merge", { schema }, async ({ body, context }) => {
    const { branch = MAIN, from, message, preview = false } = body;
    const order = { branch, from, message, ...commonOrder(body) };
    await rights.writeBranch(context, branch);
    const outcome = await state.merge(context, order, preview);
    if (!preview && outcome.conflicts.length > 0) throw mergeConflict(outcome);
    return { data: mergedMessage(outcome) };
  });
}

function addRevert(app: RestApp, state: StateService, rights: ResourceRights): void {
  const schema = {
    operationId: "revertState",
    summary: "Undo one commit, as a new commit",
    description:
      "Later commits keep their effect. Where a later commit changed the same quads, there is a conflict, " +
      "and nothing changes: the answer is 409, with one conflict in each detail. A preview changes nothing " +
      "either and lists the conflicts; in it, ours is the branch and theirs is the revert.",
    tags,
    body: stateRevertSchema,
    response: { 200: json("The result", dataOf(stateRevertedSchema)), ...errors(404, 409) },
  };
  app.post("/api/state/revert", { schema }, async ({ body, context }) => {
    const { branch = MAIN, commit, message, preview = false } = body;
    const order = { branch, commit, message, ...commonOrder(body) };
    await rights.writeBranch(context, branch);
    const outcome = await state.revert(context, order, preview);
    if (!preview && outcome.conflicts.length > 0) throw revertConflict(outcome);
    return { data: revertedMessage(outcome) };
  });
}

/** The options that merges and reverts share. */
function commonOrder({
  single_valued = [],
  expected,
}: Pick<StateMerge, "single_valued" | "expected">): {
  readonly singleValued: ReadonlySet<string>;
  readonly expected: Hash | undefined;
} {
  return {
    singleValued: new Set(single_valued),
    expected: expected === undefined ? undefined : commitOfId(expected, "expected"),
  };
}

function addUpkeep(app: RestApp, state: StateService): void {
  const check = {
    operationId: "checkState",
    summary: "Check every block that branches and tags reach",
    description:
      "Reads every block and compares it with its hash. An empty list means that no block is damaged or missing.",
    tags,
    response: {
      200: json("What is wrong", dataOf(z.array(stateFaultSchema).readonly())),
      ...errors(),
    },
  };
  app.post("/api/state/fsck", { schema: check }, async ({ context }) => ({
    data: (await state.check(context)).map(faultMessage),
  }));
  const collect = {
    operationId: "collectState",
    summary: "Delete what no ref leads to",
    description: "Blocks written within the grace period are kept.",
    tags,
    response: { 200: json("What went", dataOf(stateCollectionSchema)), ...errors() },
  };
  app.post("/api/state/gc", { schema: collect }, async ({ context }) => ({
    data: await state.collect(context),
  }));
}
