import { AppError } from "@steward/kernel/errors.js";
import { STATE_MERGE_CHANGES_MAX } from "../limits.js";
import type { BlockCache } from "../tree/block-cache.js";
import { editTrees } from "../datasets/bulk-load.js";
import { splitTriple, TAG } from "../terms/codec.js";
import type { Roots } from "../datasets/commit.js";
import { diffTrees } from "../tree/diff.js";
import type { Hash } from "../blocks/hash.js";
import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { quadOf, type QuadBytes, splitKey, termBytes } from "../terms/quad-key.js";
import { QuadTableBuilder } from "../datasets/quad-table.js";
import { Snapshot } from "../datasets/snapshot.js";
import type { NamedNode, ObjectTerm, Quad, Subject } from "../terms/term.js";

/** Quads sorted without a pause, which takes a few milliseconds. */
const QUADS_AT_ONCE = 10_000;

/** A conflict between two changes of one dataset. */
export type Conflict =
  | {
      /** Both sides changed a single-valued property to different values. */
      readonly kind: "two-values";
      readonly subject: Subject;
      readonly predicate: NamedNode;
      readonly ours: readonly ObjectTerm[];
      readonly theirs: readonly ObjectTerm[];
    }
  | {
      /** One side deleted all quads of a subject that the other side changed. */
      readonly kind: "deleted-and-changed";
      readonly subject: Subject;
      readonly deletedBy: Side;
    }
  | {
      /**
       * One side references a subject that the other side deleted, possibly inside a triple term.
       */
      readonly kind: "dangling-reference";
      readonly quad: Quad;
      readonly deletedBy: Side;
    };

/** One of the two sides of a merge. */
export type Side = "ours" | "theirs";

/** The result of a merge. */
export interface MergePreview {
  /** The merged dataset; not meaningful when there are conflicts. */
  readonly roots: Roots;
  /** Quads that the merge adds to our side and removes from it. */
  readonly added: readonly Quad[];
  readonly deleted: readonly Quad[];
  readonly conflicts: readonly Conflict[];
}

/** Two versions of a dataset and their common base. */
export interface ThreeWay {
  readonly base: Roots;
  readonly ours: Roots;
  readonly theirs: Roots;
  /** IRIs of single-valued properties. */
  readonly singleValued: ReadonlySet<string>;
  /** Whether a property counts as single-valued when "theirs" replaced its value. */
  readonly hasOneWhereReplaced?: boolean;
}

/** Keys of the first tree, and whether each was added. */
type Changes = ReadonlyMap<string, Change>;
interface Change {
  readonly key: Buffer;
  readonly bytes: QuadBytes;
  readonly added: boolean;
}

/**
 * Merges two changes of one dataset: the result has all additions and deletions of both. The merge
 * is symmetric. Its cost is proportional to the changes.
 */
export function mergeTrees(blocks: BlockCache, versions: ThreeWay): MergePreview {
  return withoutPauses(mergingTrees(blocks, versions));
}

/**
 * Like {@link mergeTrees}, but pauses regularly.
 * @throws AppError `LIMIT_EXCEEDED` for too many changes.
 */
export function* mergingTrees(blocks: BlockCache, versions: ThreeWay): Pausing<MergePreview> {
  const ours = yield* changesOf(blocks, versions.base.spog, versions.ours.spog);
  const theirs = yield* changesOf(blocks, versions.base.spog, versions.theirs.spog);
  const [added, deleted]: [Quad[], Quad[]] = [[], []];
  for (const [name, change] of theirs) {
    yield;
    if (ours.has(name)) continue;
    const quad = quadOf("spog", change.key, (hash) => blocks.read(hash));
    (change.added ? added : deleted).push(quad);
  }
  const left = yield* applied(blocks, versions.ours, { quads: deleted, present: false });
  const roots = yield* applied(blocks, left, { quads: added, present: true });
  const conflicts = [
    ...(yield* twoValues(blocks, versions, ours, theirs)),
    ...(yield* deletions(blocks, versions, { by: "ours", changes: ours, others: theirs })),
    ...(yield* deletions(blocks, versions, { by: "theirs", changes: theirs, others: ours })),
  ];
  return { roots, added, deleted, conflicts };
}

function* changesOf(blocks: BlockCache, before: Hash, after: Hash): Pausing<Changes> {
  const changes = new Map<string, Change>();
  for (const { key, added } of diffTrees(blocks, before, after)) {
    yield;
    changes.set(key.toString("latin1"), { key, added, bytes: splitKey("spog", key) });
    if (changes.size > STATE_MERGE_CHANGES_MAX) throw tooMuch();
  }
  return changes;
}

function tooMuch(): AppError {
  return new AppError(
    "LIMIT_EXCEEDED",
    `One side has more than ${STATE_MERGE_CHANGES_MAX} changes (STATE_MERGE_CHANGES_MAX): merge or revert earlier ` +
      "commits one by one, or move a branch that has no commits of its own (POST /api/state/refs)",
  );
}

function* applied(
  blocks: BlockCache,
  before: Roots,
  { quads, present }: { readonly quads: readonly Quad[]; readonly present: boolean },
): Pausing<Roots> {
  let roots = before;
  for (let start = 0; start < quads.length; start += QUADS_AT_ONCE) {
    // The texts of long literals are stored already, by one of the sides.
    const builder = new QuadTableBuilder(() => undefined);
    for (const one of quads.slice(start, start + QUADS_AT_ONCE)) {
      builder.add(one);
      yield;
    }
    const edits = { table: builder.finish(), roots, present };
    // The nodes of a preview are not stored.
    roots = yield* editTrees(edits, blocks, () => undefined);
  }
  return roots;
}

/** Conflicts where both sides changed a single-valued property to different values. */
function* twoValues(
  blocks: BlockCache,
  versions: ThreeWay,
  ours: Changes,
  theirs: Changes,
): Pausing<readonly Conflict[]> {
  const single = new Set(
    [...versions.singleValued].map((value) =>
      termBytes({ termType: "NamedNode", value }, () => undefined).toString("latin1"),
    ),
  );
  const replaced =
    versions.hasOneWhereReplaced === true ? yield* replacedBy(theirs) : new Set<string>();
  const isSingle = (change: Change): boolean =>
    single.has(change.bytes.predicate.toString("latin1")) || replaced.has(property(change));
  const touchedByThem = new Set<string>();
  for (const change of theirs.values()) {
    if (isSingle(change)) touchedByThem.add(property(change));
    yield;
  }
  const touchedByBoth = new Map<string, Change>();
  for (const change of ours.values()) {
    const name = property(change);
    if (isSingle(change) && touchedByThem.has(name)) touchedByBoth.set(name, change);
    yield;
  }
  const [our, their] = [versions.ours, versions.theirs].map((roots) => new Snapshot(blocks, roots));
  const conflicts: Conflict[] = [];
  for (const { key } of touchedByBoth.values()) {
    const { subject, predicate, graph } = quadOf("spog", key, (hash) => blocks.read(hash));
    const values = (side: Snapshot | undefined): ObjectTerm[] =>
      [...(side?.match({ subject, predicate, graph }) ?? [])].map(({ object }) => object);
    const conflict = { ours: values(our), theirs: values(their) };
    const isSame =
      conflict.ours.length === conflict.theirs.length &&
      conflict.ours.every((value, index) => value.equals(conflict.theirs[index]));
    if (!isSame) conflicts.push({ kind: "two-values", subject, predicate, ...conflict });
    yield;
  }
  return conflicts;
}

/** The lookup key of a property of one subject in one graph. */
function property({ bytes }: Change): string {
  return Buffer.concat([bytes.subject, bytes.predicate, bytes.graph]).toString("latin1");
}

/** Properties that lost one value and gained another. */
function* replacedBy(changes: Changes): Pausing<ReadonlySet<string>> {
  const [gained, lost] = [new Set<string>(), new Set<string>()];
  for (const change of changes.values()) {
    (change.added ? gained : lost).add(property(change));
    yield;
  }
  return new Set([...gained].filter((name) => lost.has(name)));
}

interface OneSide {
  readonly by: Side;
  readonly changes: Changes;
  readonly others: Changes;
}

/** Conflicts where one side deleted a subject that the other changed or references. */
function* deletions(
  blocks: BlockCache,
  versions: ThreeWay,
  { by, changes, others }: OneSide,
): Pausing<readonly Conflict[]> {
  const gone = yield* deletedSubjects(blocks, versions[by], changes);
  const isGone = (term: Buffer): boolean => gone.has(term.toString("latin1"));
  const conflicts = new Map<string, Conflict>();
  for (const { key, added, bytes } of others.values()) {
    yield;
    const same = changes.get(key.toString("latin1"));
    if (same?.added === added) continue;
    const quad = quadOf("spog", key, (hash) => blocks.read(hash));
    if (isGone(bytes.subject)) {
      const subject = quad.subject;
      const name = bytes.subject.toString("latin1");
      conflicts.set(name, { kind: "deleted-and-changed", subject, deletedBy: by });
    } else if (added && resourcesOf(bytes.object).some(isGone)) {
      conflicts.set(key.toString("latin1"), { kind: "dangling-reference", quad, deletedBy: by });
    }
  }
  return [...conflicts.values()];
}

/** The resources that an object references: itself, or the subject and object of a triple term. */
function resourcesOf(object: Buffer): readonly Buffer[] {
  if (object[0] !== TAG.triple) return [object];
  const { subject, object: inner } = splitTriple(object);
  return [subject, ...resourcesOf(inner)];
}

/** Subjects of deleted quads that have no quads left. */
function* deletedSubjects(
  blocks: BlockCache,
  roots: Roots,
  changes: Changes,
): Pausing<ReadonlySet<string>> {
  const after = new Snapshot(blocks, roots);
  const gone = new Set<string>();
  for (const { added, bytes, key } of changes.values()) {
    yield;
    const name = bytes.subject.toString("latin1");
    if (added || gone.has(name)) continue;
    const { subject } = quadOf("spog", key, (hash) => blocks.read(hash));
    if (after.count({ subject }) === 0) gone.add(name);
  }
  return gone;
}
