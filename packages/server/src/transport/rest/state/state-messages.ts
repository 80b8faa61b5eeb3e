import type {
  OutputOf,
  state,
  StateAnswer,
  StateCommit,
  StateConflict,
  StateDiff as DiffMessage,
  StateFault,
  StateImported,
  StateMerged,
  StatePattern,
  StateProof,
  StateReverted,
} from "@steward/operations";
import { isoTime } from "@steward/kernel/clock.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { STATE_QUADS_PAGE_DEFAULT } from "../../limits.js";
import {
  AnswerBytes,
  answerTooLong,
  cidOf,
  commitId,
  type CommitProof,
  type CommitSummary,
  type Conflict,
  DEFAULT_GRAPH,
  type Fault,
  type Graph,
  type ImportOutcome,
  jsonAtomicTerm,
  jsonQuad,
  jsonTerm,
  type MergeOutcome,
  parseTerm,
  parseTermOrVariable,
  type Pattern,
  type Quad,
  quad,
  type QuadPattern,
  type RevertOutcome,
  type Side,
  type StateDiff,
  type StatePage,
  type Term,
  termText,
} from "@steward/state";
import type { JsonBindings, QueryAnswer } from "@steward/state/ports";

export function commitMessage(entry: CommitSummary): StateCommit {
  return {
    commit: commitId(entry.hash),
    parents: entry.parents.map(commitId),
    author: entry.author,
    message: entry.message,
    time: isoTime(entry.timeMs),
    root: cidOf(entry.roots.spog, "raw"),
    size: entry.size,
  };
}

export function diffMessage({ from, to, added, deleted, isCut }: StateDiff): DiffMessage {
  return {
    from: from === undefined ? null : commitId(from),
    to: commitId(to),
    added: added.map(jsonQuad),
    deleted: deleted.map(jsonQuad),
    truncated: isCut,
  };
}

export function pageMessage({
  commit,
  count,
  quads,
}: StatePage): OutputOf<typeof state.getStateAt> {
  return { commit: commitId(commit), count, quads: quads.map(jsonQuad) };
}

export function importedMessage({ commit, size, added, deleted }: ImportOutcome): StateImported {
  return { commit: commitId(commit), size, added, deleted };
}

export function answerMessage(answer: QueryAnswer): StateAnswer {
  switch (answer.kind) {
    case "solutions":
      return { head: { vars: answer.variables }, results: { bindings: answer.rows } };
    case "boolean":
      return { head: { vars: [] }, boolean: answer.value };
    case "quads":
      return { quads: answer.quads };
  }
}

export function solutionsMessage(
  patterns: readonly QuadPattern[],
  bindings: readonly JsonBindings[],
): StateAnswer {
  const places = patterns.flatMap((pattern) => Object.values(pattern));
  const variables = places.flatMap((place) => (place.termType === "Variable" ? place.value : []));
  return { head: { vars: [...new Set(variables)] }, results: { bindings } };
}

export function mergedMessage(outcome: MergeOutcome): StateMerged {
  const done = { none: "nothing to merge", forward: "fast-forward", merge: "merged" } as const;
  const said = outcome.conflicts.length > 0 ? "conflicts" : done[outcome.kind];
  return { outcome: said, ...changedMessage(outcome) };
}

export function revertedMessage(outcome: RevertOutcome): StateReverted {
  const done = { none: "nothing to revert", revert: "reverted" } as const;
  const said = outcome.conflicts.length > 0 ? "conflicts" : done[outcome.kind];
  return { outcome: said, ...changedMessage(outcome) };
}

/** The counts are of all quads; how many of them are shown depends on their bytes too. */
function changedMessage({
  commit,
  added,
  deleted,
  conflicts,
}: MergeOutcome | RevertOutcome): Omit<StateMerged, "outcome"> {
  const bytes = new AnswerBytes();
  const shownConflicts = firstOf(conflicts, conflictMessage, bytes);
  // No conflicts would look like a merge that is possible.
  if (conflicts.length > 0 && shownConflicts.length === 0) {
    throw answerTooLong(
      "a single conflict is that long; read what both commits say of its subject",
    );
  }
  return {
    commit: commitId(commit),
    added: added.length,
    deleted: deleted.length,
    added_quads: firstOf(added, jsonQuad, bytes),
    deleted_quads: firstOf(deleted, jsonQuad, bytes),
    conflicts: shownConflicts,
  };
}

function firstOf<Item, Message>(
  items: readonly Item[],
  message: (item: Item) => Message,
  bytes: AnswerBytes,
): readonly Message[] {
  const shown: Message[] = [];
  for (const item of items.slice(0, STATE_QUADS_PAGE_DEFAULT)) {
    const next = message(item);
    if (!bytes.add(next)) break;
    shown.push(next);
  }
  return shown;
}

function conflictMessage(conflict: Conflict): StateConflict {
  switch (conflict.kind) {
    case "two-values":
      return {
        kind: conflict.kind,
        subject: jsonAtomicTerm(conflict.subject),
        predicate: jsonAtomicTerm(conflict.predicate),
        ours: conflict.ours.map(jsonTerm),
        theirs: conflict.theirs.map(jsonTerm),
      };
    case "deleted-and-changed":
      return {
        kind: conflict.kind,
        subject: jsonAtomicTerm(conflict.subject),
        deleted_by: conflict.deletedBy,
      };
    case "dangling-reference":
      return {
        kind: conflict.kind,
        subject: jsonAtomicTerm(conflict.quad.subject),
        predicate: jsonAtomicTerm(conflict.quad.predicate),
        object: jsonTerm(conflict.quad.object),
        deleted_by: conflict.deletedBy,
      };
  }
}

/** The error of a merge with conflicts; each conflict is a detail. */
export function mergeConflict({ conflicts }: MergeOutcome): AppError {
  const message = `The two histories have ${conflicts.length} conflicts; nothing was changed`;
  return conflictError(message, conflicts, { ours: "ours", theirs: "theirs" });
}

/** The error of a revert with conflicts; each conflict is a detail. */
export function revertConflict({ conflicts }: RevertOutcome): AppError {
  const message =
    `${conflicts.length} things that the commit changed have been changed since; nothing was changed. ` +
    "Change them by an import, or revert the later commits first";
  return conflictError(message, conflicts, { ours: "the branch", theirs: "the revert" });
}

/** The names of the two sides of a conflict. */
type SideNames = Readonly<Record<Side, string>>;

function conflictError(
  message: string,
  conflicts: readonly Conflict[],
  names: SideNames,
): AppError {
  const details = conflicts.slice(0, STATE_QUADS_PAGE_DEFAULT).map((conflict) => ({
    field: conflict.kind,
    reason: conflictText(conflict, names),
  }));
  return new AppError("STATE_CONFLICT", message, { details });
}

function conflictText(conflict: Conflict, names: SideNames): string {
  const list = (terms: readonly Term[]): string =>
    terms.length === 0 ? "nothing" : terms.map(termText).join(", ");
  switch (conflict.kind) {
    case "two-values": {
      const { subject, predicate, ours, theirs } = conflict;
      const property = `${termText(subject)} ${termText(predicate)}`;
      return `${property}: ${names.ours} says ${list(ours)}, ${names.theirs} says ${list(theirs)}`;
    }
    case "deleted-and-changed":
      return `${termText(conflict.subject)}: ${names[conflict.deletedBy]} deleted it, the other side changed it`;
    case "dangling-reference": {
      const { subject, predicate, object } = conflict.quad;
      const triple = [subject, predicate, object].map(termText).join(" ");
      return `${triple}: ${names[conflict.deletedBy]} deleted what the other side refers to`;
    }
  }
}

export function proofMessage(proven: Quad, proof: CommitProof): StateProof {
  const { commit, present, commitBlock, nodes } = proof;
  return { commit, quad: jsonQuad(proven), present, commit_block: commitBlock, nodes };
}

export function faultMessage({ ref, hash, reason }: Fault): StateFault {
  return { ref, block: hash, reason };
}

const POSITIONS = ["subject", "predicate", "object", "graph"] as const;

/** A pattern of terms. @throws AppError `INVALID_ARGUMENT`. */
export function patternOf(pattern: StatePattern): Pattern {
  return Object.fromEntries(
    POSITIONS.flatMap((place) => {
      const source = pattern[place];
      return source === undefined ? [] : [[place, parseTerm(source, place)]];
    }),
  );
}

/** A pattern of terms and variables. @throws AppError `INVALID_ARGUMENT`. */
export function quadPatternOf(pattern: StatePattern, index: number): QuadPattern {
  return Object.fromEntries(
    POSITIONS.flatMap((place) => {
      const source = pattern[place];
      const field = `patterns[${index}].${place}`;
      return source === undefined ? [] : [[place, parseTermOrVariable(source, field)]];
    }),
  );
}

/** The name of a graph. @throws AppError `INVALID_ARGUMENT`. */
export function parseGraph(source: string): Graph {
  const graph = parseTerm(source, "graph");
  if (graph.termType === "NamedNode" || graph.termType === "BlankNode") return graph;
  throw invalidField("graph", "must be <iri> or _:label");
}

/** A quad of terms. @throws AppError `INVALID_ARGUMENT`. */
export function quadOfTerms(terms: {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly graph?: string;
}): Quad {
  const subject = parseTerm(terms.subject, "subject");
  const predicate = parseTerm(terms.predicate, "predicate");
  const object = parseTerm(terms.object, "object");
  const graph = terms.graph === undefined ? DEFAULT_GRAPH : parseGraph(terms.graph);
  if (subject.termType !== "NamedNode" && subject.termType !== "BlankNode") {
    throw invalidField("subject", "must be <iri> or _:label");
  }
  if (predicate.termType !== "NamedNode") throw invalidField("predicate", "must be <iri>");
  if (object.termType === "DefaultGraph") throw invalidField("object", "must be a term");
  return quad(subject, predicate, object, graph);
}
