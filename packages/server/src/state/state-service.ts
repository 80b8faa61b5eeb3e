import { setImmediate as nextTurn } from "node:timers/promises";
import type { Caller } from "../kernel/caller.js";
import type { Clock } from "../kernel/clock.js";
import { AppError, invalidField } from "../kernel/errors.js";
import { STATE_EXAMINED_MAX, STATE_QUADS_MAX, STATE_REFS_MAX } from "../kernel/limits.js";
import { type Bindings, type QuadPattern, solve } from "./basic-graph-pattern.js";
import { commitId, readCommit, type Roots } from "./commit.js";
import { type CommitProof, proveQuad } from "./commit-proof.js";
import { diffTrees } from "./diff.js";
import type { Fault } from "./fsck.js";
import type { Collection } from "./garbage.js";
import type { Hash } from "./hash.js";
import { log, type LogEntry, resolve } from "./history.js";
import { type MergeOutcome, mergeIntoBranch } from "./merge-branches.js";
import { OpenStores, type OpenStore } from "./open-stores.js";
import type {
  BlockStore,
  BlockStores,
  QueryAnswer,
  RdfCodec,
  RdfFormat,
  Ref,
  RefMove,
  SparqlEngine,
  StateUpkeep,
} from "./ports.js";
import { quadOf } from "./quad-key.js";
import { type Pattern, Snapshot } from "./snapshot.js";
import { type Graph, quad, type Quad } from "./term.js";
import { EMPTY_ROOTS, TripleStore } from "./triple-store.js";

/** Quads that are looked at before others have their turn. */
const QUADS_AT_ONCE = 5000;

/** What the service works with. */
export interface StateParts {
  readonly stores: BlockStores;
  readonly rdf: RdfCodec;
  readonly sparql: SparqlEngine;
  readonly upkeep: StateUpkeep;
  readonly clock: Clock;
}

/** A commit, and how many quads its dataset has. */
export interface CommitSummary extends LogEntry {
  readonly size: number;
}

/** What two datasets differ by. */
export interface StateDiff {
  readonly from: Hash | undefined;
  readonly to: Hash;
  readonly added: readonly Quad[];
  readonly deleted: readonly Quad[];
  /** Whether there are more changes than were asked for. */
  readonly isCut: boolean;
}

/** Quads of a commit. */
export interface StatePage {
  readonly commit: Hash;
  /** How many match, whatever part of them this is. */
  readonly count: number;
  readonly quads: readonly Quad[];
}

/** A document to be taken in. */
export interface ImportOrder {
  readonly branch: string;
  readonly format: RdfFormat;
  readonly content: string;
  /** What becomes of the dataset: it has these quads too, or no longer, or no others. */
  readonly mode: "add" | "remove" | "replace";
  readonly message: string;
  /** Where the branch must be; null: it must not exist. Left out: wherever it is. */
  readonly expected?: Hash | null;
}

/** What an import came to. */
export interface ImportOutcome {
  readonly commit: Hash;
  readonly size: number;
  readonly added: number;
  readonly deleted: number;
}

/** A dataset as text. */
export interface StateExport {
  readonly commit: Hash;
  readonly text: AsyncIterable<string>;
}

/**
 * The state of each organization: datasets of quads and their history. Whatever it is asked, it looks into the
 * caller's own store and no other. Commits of one organization are made one after the other.
 * Every method throws AppError `NOT_FOUND` for a ref or commit there is none of, `STATE_CORRUPTED`, naming the
 * block, for one that is missing or damaged, and `STORE_UNAVAILABLE`.
 */
export class StateService implements AsyncDisposable {
  readonly #parts: StateParts;
  readonly #open: OpenStores;
  readonly #writing = new Map<string, Promise<unknown>>();

  constructor(parts: StateParts) {
    this.#parts = parts;
    this.#open = new OpenStores(parts.stores);
  }

  /** Branches and tags, by name. */
  refs({ orgId }: Caller): readonly Ref[] {
    using opened = this.#open.acquire(orgId, false);
    return opened?.store.refs() ?? [];
  }

  /** The commit that a branch, a tag or an id names. */
  commitOf({ orgId }: Caller, name: string): Hash {
    return this.#read(orgId, name, (_opened, commit) => commit);
  }

  /**
   * Moves, makes or deletes a branch or a tag.
   * @throws AppError `STATE_CONFLICT` when it is not where it was expected.
   */
  async moveRef({ orgId }: Caller, move: Omit<RefMove, "journal">): Promise<void> {
    await this.#write(orgId, ({ store }) => {
      if (move.next !== undefined) readCommit(store, move.next);
      const isNew = move.expected === undefined && move.next !== undefined;
      if (isNew && store.refs().length >= STATE_REFS_MAX) {
        throw new AppError("LIMIT_EXCEEDED", `There are at most ${STATE_REFS_MAX} refs`);
      }
      if (!store.move(move, new Map())) throw moved(move.name, store.ref(move.name));
    });
  }

  /** A commit and what it came from, the newest first. */
  log({ orgId }: Caller, from: string, limit: number): readonly CommitSummary[] {
    return this.#read(orgId, from, ({ store, blocks }, commit) => {
      const entries: CommitSummary[] = [];
      for (const entry of log(store, commit)) {
        if (entries.length === limit) break;
        entries.push({ ...entry, size: new Snapshot(blocks, entry.roots).size });
      }
      return entries;
    });
  }

  /** What changed from one commit to another; without the first, from its first parent. */
  diff({ orgId }: Caller, from: string | undefined, to: string, limit: number): StateDiff {
    return this.#read(orgId, to, ({ store, blocks }, commit) => {
      const { roots, parents } = readCommit(store, commit);
      const before = from === undefined ? parents[0] : commitNamed(store, from);
      const old = before === undefined ? EMPTY_ROOTS : readCommit(store, before).roots;
      const [added, deleted]: [Quad[], Quad[]] = [[], []];
      let isCut = false;
      for (const change of diffTrees(blocks, old.spog, roots.spog)) {
        isCut = added.length + deleted.length === limit;
        if (isCut) break;
        const quad = quadOf("spog", change.key, (hash) => blocks.read(hash));
        (change.added ? added : deleted).push(quad);
      }
      return { from: before, to: commit, added, deleted, isCut };
    });
  }

  /** Quads of a commit's dataset. */
  at(
    { orgId }: Caller,
    name: string,
    pattern: Pattern,
    page: { readonly offset: number; readonly limit: number },
  ): StatePage {
    return this.#read(orgId, name, ({ store, blocks }, commit) => {
      const snapshot = new Snapshot(blocks, readCommit(store, commit).roots);
      const quads: Quad[] = [];
      let place = 0;
      const examined = examinationBudget();
      for (const quad of snapshot.match(pattern, examined)) {
        if (place++ < page.offset) continue;
        if (quads.length === page.limit) break;
        quads.push(quad);
      }
      return { commit, count: snapshot.count(pattern, examined), quads };
    });
  }

  /**
   * The solutions of a basic graph pattern.
   * @throws AppError `LIMIT_EXCEEDED` when too many quads would have to be looked at.
   */
  solve(
    { orgId }: Caller,
    name: string,
    patterns: readonly QuadPattern[],
    limit: number,
  ): readonly Bindings[] {
    return this.#read(orgId, name, ({ store, blocks }, commit) => {
      const snapshot = new Snapshot(blocks, readCommit(store, commit).roots);
      const rows: Bindings[] = [];
      for (const row of solve(snapshot, patterns, examinationBudget())) {
        if (rows.length === limit) break;
        rows.push(row);
      }
      return rows;
    });
  }

  /** Answers SPARQL. @throws AppError as {@link SparqlEngine.query}. */
  async query({ orgId }: Caller, name: string, sparql: string): Promise<QueryAnswer> {
    using opened = this.#acquire(orgId, name);
    const { roots } = readCommit(opened.store, commitNamed(opened.store, name));
    return await this.#parts.sparql.query(new Snapshot(opened.blocks, roots), sparql);
  }

  /**
   * Takes a document in, as one commit; where it changes nothing there is none.
   * @throws AppError `INVALID_ARGUMENT` with line and column for malformed RDF, `STATE_CONFLICT` when the branch
   * is not where it was expected.
   */
  async import(caller: Caller, order: ImportOrder): Promise<ImportOutcome> {
    const quads = await this.#parts.rdf.read(order.content, order.format);
    return this.#write(caller.orgId, ({ store }) => {
      const name = `heads/${order.branch}`;
      const { expected } = order;
      const head = store.ref(name);
      if (expected !== undefined && (expected ?? undefined) !== head) throw moved(name, head);
      const triples = new TripleStore(store, this.#parts.clock, order.branch);
      if (order.mode === "add") triples.load(quads);
      else if (order.mode === "remove") triples.unload(quads);
      else triples.replace(quads);
      if (triples.now.size > STATE_QUADS_MAX) {
        throw new AppError("LIMIT_EXCEEDED", `A dataset has ${STATE_QUADS_MAX} quads at most`);
      }
      return commitChanges(store, triples, { author: authorOf(caller), message: order.message });
    });
  }

  /**
   * A commit's dataset as text, read as it is taken.
   * @param graph the only graph to write, without its name; left out: all.
   * @throws AppError `INVALID_ARGUMENT` when the format cannot tell of graphs and there are some.
   */
  async export(
    { orgId }: Caller,
    name: string,
    format: RdfFormat,
    graph?: Graph,
  ): Promise<StateExport> {
    using opened = this.#acquire(orgId, name);
    const commit = commitNamed(opened.store, name);
    const { roots } = readCommit(opened.store, commit);
    if (graph === undefined) await refuseGraphs(new Snapshot(opened.blocks, roots), format);
    return { commit, text: this.#exported(orgId, roots, format, graph) };
  }

  /** Proves that a commit's dataset has a quad, or has it not. */
  proof({ orgId }: Caller, name: string, quad: Quad): CommitProof {
    return this.#read(orgId, name, ({ store, blocks }, commit) =>
      proveQuad(store, blocks, commit, quad),
    );
  }

  /** Merges a commit into a branch, or tells what that would come to. With conflicts, nothing changes. */
  async merge(
    caller: Caller,
    order: {
      readonly branch: string;
      readonly from: string;
      readonly message: string;
      readonly singleValued: ReadonlySet<string>;
    },
    isPreview: boolean,
  ): Promise<MergeOutcome> {
    return this.#write(caller.orgId, ({ store }) => {
      const theirs = commitNamed(store, order.from);
      const full = { ...order, theirs, author: authorOf(caller) };
      return mergeIntoBranch(store, this.#parts.clock, full, isPreview);
    });
  }

  /** Checks everything that refs lead to. */
  async check({ orgId }: Pick<Caller, "orgId">): Promise<readonly Fault[]> {
    return this.#parts.upkeep.check(orgId);
  }

  /** Deletes what no ref leads to and is older than the grace period. Writers wait meanwhile. */
  async collect({ orgId }: Pick<Caller, "orgId">): Promise<Collection> {
    return this.#inTurn(orgId, () => this.#parts.upkeep.collect(orgId));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#writing.values());
    this.#open[Symbol.dispose]();
  }

  #read<T>(orgId: string, name: string, read: (opened: OpenStore, commit: Hash) => T): T {
    using opened = this.#acquire(orgId, name);
    return read(opened, commitNamed(opened.store, name));
  }

  #acquire(orgId: string, name: string): OpenStore & Disposable {
    const opened = this.#open.acquire(orgId, false);
    if (opened === undefined) throw unknownRef(name);
    return opened;
  }

  async #write<T>(orgId: string, write: (opened: OpenStore) => T): Promise<T> {
    return this.#inTurn(orgId, () => {
      using opened = this.#open.acquire(orgId, true);
      if (opened === undefined) throw new AppError("STORE_UNAVAILABLE", "There is no state store");
      return write(opened);
    });
  }

  /** One after the other, for each organization. */
  async #inTurn<T>(orgId: string, work: () => T | Promise<T>): Promise<T> {
    const before = this.#writing.get(orgId) ?? Promise.resolve();
    const done = before.then(work);
    const settled = done.catch(() => undefined);
    this.#writing.set(orgId, settled);
    try {
      return await done;
    } finally {
      if (this.#writing.get(orgId) === settled) this.#writing.delete(orgId);
    }
  }

  async *#exported(
    orgId: string,
    roots: Roots,
    format: RdfFormat,
    graph: Graph | undefined,
  ): AsyncGenerator<string> {
    using opened = this.#open.acquire(orgId, false);
    if (opened === undefined) return;
    const snapshot = new Snapshot(opened.blocks, roots);
    const quads = graph === undefined ? snapshot.match() : withoutGraph(snapshot.match({ graph }));
    yield* this.#parts.rdf.write(quads, format);
  }
}

/** The commit that a ref or an id names. @throws AppError `NOT_FOUND`. */
function commitNamed(store: BlockStore, name: string): Hash {
  const hash = resolve(store, name);
  const isRef = [`heads/${name}`, `tags/${name}`, name].some((ref) => store.ref(ref) === hash);
  // A ref leads to a commit; of a hash that a caller brings, that has to be seen.
  if (!isRef && !isCommit(store, hash)) throw unknownRef(name);
  return hash;
}

function isCommit(store: BlockStore, hash: Hash): boolean {
  try {
    readCommit(store, hash);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "STATE_CORRUPTED") return false;
    throw error;
  }
}

function unknownRef(name: string): AppError {
  return new AppError("NOT_FOUND", `There is no branch, tag or commit ${JSON.stringify(name)}`);
}

function moved(name: string, at: Hash | undefined): AppError {
  const now = at === undefined ? "does not exist" : `is at ${commitId(at)}`;
  return new AppError("STATE_CONFLICT", `The ref ${name} ${now}: look again, then try again`);
}

/** Who is told to have made a commit. */
function authorOf({ userId, agentId, sessionId }: Caller): string {
  return userId ?? agentId ?? sessionId ?? "unknown";
}

function commitChanges(
  store: BlockStore,
  triples: TripleStore,
  note: { readonly author: string; readonly message: string },
): ImportOutcome {
  const { head } = triples;
  const before = head === undefined ? undefined : readCommit(store, head).roots.spog;
  const hash = triples.commitChanges(note);
  const { roots } = readCommit(store, hash);
  let [added, deleted] = [0, 0];
  const { blocks } = triples;
  for (const change of diffTrees(blocks, before ?? EMPTY_ROOTS.spog, roots.spog)) {
    if (change.added) added += 1;
    else deleted += 1;
  }
  return { commit: hash, size: triples.now.size, added, deleted };
}

function examinationBudget(): () => void {
  let left = STATE_EXAMINED_MAX;
  return () => {
    left -= 1;
    if (left >= 0) return;
    throw new AppError(
      "LIMIT_EXCEEDED",
      `The patterns have more than ${STATE_EXAMINED_MAX} quads looked at: make them more specific`,
    );
  };
}

/** Looks at all quads, a few at a time, so that others have their turn. */
async function refuseGraphs(snapshot: Snapshot, format: RdfFormat): Promise<void> {
  if (format !== "n-triples" && format !== "turtle") return;
  let seen = 0;
  for (const { graph } of snapshot.match()) {
    if (graph.termType !== "DefaultGraph") {
      const reason = `${format} cannot tell of named graphs, and there are some`;
      throw invalidField("format", `${reason}: use n-quads, trig or json-ld, or name one graph`);
    }
    if (++seen % QUADS_AT_ONCE === 0) await nextTurn();
  }
}

function* withoutGraph(quads: Iterable<Quad>): Generator<Quad> {
  for (const { subject, predicate, object } of quads) yield quad(subject, predicate, object);
}
