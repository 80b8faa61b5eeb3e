import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { FairSemaphore } from "@steward/kernel/concurrency/fair-semaphore.js";
import { LastingPermission } from "@steward/kernel/lasting-permission.js";
import { type StorageGate, unlimitedStorage } from "@steward/kernel/storage-gate.js";
import {
  STATE_CHANGE_MS_MAX,
  STATE_CHANGES_AT_ONCE_MAX,
  STATE_EXAMINED_MAX,
  STATE_SEARCH_MS_MAX,
  STATE_SEARCHES_AT_ONCE_MAX,
  STATE_WAIT_MS,
  STATE_WAITING_MAX,
} from "../limits.js";
import { type QuadPattern, solving } from "../datasets/basic-graph-pattern.js";
import { readCommit, type Roots } from "../datasets/commit.js";
import { type CommitProof, proveQuad } from "../history/commit-proof.js";
import { diffTrees } from "../tree/diff.js";
import type { Fault } from "../upkeep/fsck.js";
import type { Collection } from "../upkeep/garbage.js";
import type { Hash } from "../blocks/hash.js";
import { log } from "../history/history.js";
import { exportedQuads, refuseFormat } from "./exported-quads.js";
import { checkRoomForRef, checkTarget, importDocument } from "./import-document.js";
import { type MergeOutcome, mergingIntoBranch } from "../history/merge-branches.js";
import { commitNamed, moved } from "../history/named-commit.js";
import { requireCallersRef } from "../history/service-branches.js";
import { type Pausing, withPauses } from "@steward/kernel/concurrency/pausing.js";
import { revertOnBranch, type RevertOrder, type RevertOutcome } from "../history/revert-commit.js";
import type {
  BlockStore,
  JsonBindings,
  OpenStore,
  QueryAnswer,
  RdfCodec,
  RdfFormat,
  Ref,
  RefMove,
  Repositories,
  SparqlEngine,
} from "../ports.js";
import { jsonBindings } from "../terms/json-term.js";
import { quadOf } from "../terms/quad-key.js";
import { type Pattern, Snapshot } from "../datasets/snapshot.js";
import type {
  CommitSummary,
  ImportOrder,
  ImportOutcome,
  StateDiff,
  StateExport,
  StatePage,
} from "./state-answers.js";
import type { Graph, Quad } from "../terms/term.js";
import { AnswerBytes } from "./answer-bytes.js";
import { EMPTY_ROOTS } from "../datasets/triple-store.js";

/** Bytes that a new quad takes in the trees of a dataset, roughly; the next measurement is exact. */
const QUAD_BYTES = 200;
export interface StateParts {
  readonly repositories: Repositories;
  readonly rdf: RdfCodec;
  readonly sparql: SparqlEngine;
  /** Asked before a commit; absent: no quota limits what is stored. */
  readonly storage?: StorageGate;
  readonly clock: Clock;
}

/**
 * The state of each organization: datasets of quads and their history. Every operation accesses
 * only the caller's own organization. Commits of one organization are made one after the other.
 * Branches that the service writes can be read by callers; moving them is `POLICY_DENIED`. Every
 * method throws AppError `NOT_FOUND` for an unknown ref or commit; `STATE_CORRUPTED`, naming the
 * block, for a missing or damaged block; and `STORE_UNAVAILABLE`.
 */
export class StateService {
  readonly #parts: StateParts;
  readonly #storage: StorageGate;
  /** Searches and changes have separate limits, because changes need more memory. */
  readonly #searches = semaphoreFor("searches of the state", STATE_SEARCHES_AT_ONCE_MAX);
  readonly #changes = semaphoreFor("changes of the state", STATE_CHANGES_AT_ONCE_MAX);

  constructor(parts: StateParts) {
    this.#parts = parts;
    this.#storage = parts.storage ?? unlimitedStorage;
  }

  /** Branches and tags, by name. */
  refs({ orgId }: Caller): Promise<readonly Ref[]> {
    return this.#parts.repositories.read(orgId, ({ store }) => store.refs());
  }

  /** The commit of a branch, a tag or an id. */
  commitOf({ orgId }: Caller, name: string): Promise<Hash> {
    return this.#read(orgId, name, (_opened, commit) => commit);
  }

  /**
   * Creates, moves or deletes a branch or a tag.
   * @throws AppError `STATE_CONFLICT` when the ref is not at the expected commit.
   */
  async moveRef(caller: Caller, move: Omit<RefMove, "journal">): Promise<void> {
    await this.#write(caller, move.name, ({ store }) => {
      if (move.next !== undefined) readCommit(store, move.next);
      const isNew = move.expected === undefined && move.next !== undefined;
      if (isNew) checkRoomForRef(store);
      if (!store.move(move, new Map())) throw moved(move.name, store.ref(move.name));
    });
  }

  /**
   * A commit and its ancestors, newest first. A page ends at its limit or at `STATE_ANSWER_BYTES_MAX`, whichever comes
   * first; the parents of its last commit lead on.
   */
  log({ orgId }: Caller, from: string, limit: number): Promise<readonly CommitSummary[]> {
    return this.#search(orgId, from, function* ({ store, blocks }, commit) {
      const entries: CommitSummary[] = [];
      const bytes = new AnswerBytes();
      for (const entry of log(store, commit)) {
        if (entries.length === limit || !bytes.add(entry)) break;
        entries.push({ ...entry, size: new Snapshot(blocks, entry.roots).size });
        yield;
      }
      return entries;
    });
  }

  /**
   * The difference between two commits; without `from`, the difference to the first parent. It is
   * truncated at the limit or at `STATE_ANSWER_BYTES_MAX`, whichever comes first.
   */
  diff({ orgId }: Caller, from: string | undefined, to: string, limit: number): Promise<StateDiff> {
    return this.#search(orgId, to, function* ({ store, blocks }, commit) {
      const { roots, parents } = readCommit(store, commit);
      const before = from === undefined ? parents[0] : commitNamed(store, from);
      const old = before === undefined ? EMPTY_ROOTS : readCommit(store, before).roots;
      const [added, deleted]: [Quad[], Quad[]] = [[], []];
      let isCut = false;
      const bytes = new AnswerBytes();
      for (const change of diffTrees(blocks, old.spog, roots.spog)) {
        isCut = added.length + deleted.length === limit;
        if (isCut) break;
        const quad = quadOf("spog", change.key, (hash) => blocks.read(hash));
        isCut = !bytes.addQuad(quad);
        if (isCut) break;
        (change.added ? added : deleted).push(quad);
        yield;
      }
      return { from: before, to: commit, added, deleted, isCut };
    });
  }

  /**
   * Quads of a commit's dataset. A page ends at its limit or at `STATE_ANSWER_BYTES_MAX`,
   * whichever comes first.
   */
  at(
    { orgId }: Caller,
    name: string,
    pattern: Pattern,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<StatePage> {
    return this.#search(orgId, name, function* ({ store, blocks }, commit) {
      const snapshot = new Snapshot(blocks, readCommit(store, commit).roots);
      const quads: Quad[] = [];
      let place = 0;
      const bytes = new AnswerBytes();
      const examined = examinationBudget();
      for (const quad of snapshot.scan(pattern, examined)) {
        yield;
        if (quad === undefined || place++ < page.offset) continue;
        if (quads.length === page.limit || !bytes.addQuad(quad)) break;
        quads.push(quad);
      }
      return { commit, count: yield* snapshot.counting(pattern, examined), quads };
    });
  }

  /**
   * The solutions of a basic graph pattern.
   * @throws AppError `LIMIT_EXCEEDED` when the query would examine too many quads, or when its solutions
   * have more than `STATE_ANSWER_BYTES_MAX` bytes.
   */
  solve(
    { orgId }: Caller,
    name: string,
    patterns: readonly QuadPattern[],
    limit: number,
  ): Promise<readonly JsonBindings[]> {
    return this.#search(orgId, name, function* ({ store, blocks }, commit) {
      const snapshot = new Snapshot(blocks, readCommit(store, commit).roots);
      const rows: JsonBindings[] = [];
      const bytes = new AnswerBytes();
      for (const row of solving(snapshot, patterns, examinationBudget())) {
        yield;
        if (rows.length === limit) break;
        if (row === undefined) continue;
        // As JSON at once: making that of all rows takes as long as several turns of the event loop should.
        const solution = jsonBindings(row);
        bytes.addRow(solution);
        rows.push(solution);
      }
      return rows;
    });
  }

  /**
   * Evaluates a SPARQL query.
   * @throws AppError as {@link SparqlEngine.query}.
   */
  query({ orgId }: Caller, name: string, sparql: string): Promise<QueryAnswer> {
    return this.#read(orgId, name, ({ store }, commit) => {
      const { roots } = readCommit(store, commit);
      return this.#parts.sparql.query({ orgId, blocks: store, roots }, sparql);
    });
  }

  /**
   * Imports a document as one commit; no commit is made when it changes nothing. The document is
   * parsed only when a store is configured and the branch is at the expected commit.
   * @throws AppError as {@link RdfCodec.read}; `STATE_CONFLICT` when the branch is not at the
   * expected commit; `QUOTA_EXCEEDED`.
   */
  async import(caller: Caller, order: ImportOrder): Promise<ImportOutcome> {
    const { repositories, rdf, clock } = this.#parts;
    const ref = branchRef(order);
    requireCallersRef(ref);
    this.#storage.admit(caller.orgId, "state", 0);
    await repositories.read(caller.orgId, ({ store }) => checkTarget(store, order));
    const { content, removed, format } = order;
    const document = await rdf.read(caller.orgId, content, format);
    const removal =
      removed === undefined ? undefined : await rdf.read(caller.orgId, removed, format);
    this.#storage.admit(caller.orgId, "state", QUAD_BYTES * (document.quads.rows.length / 4));
    const job = { order, document, removal, author: authorOf(caller) };
    return this.#change(caller, ref, (store) => importDocument(store, clock, job));
  }

  /**
   * Serializes a commit's dataset as a stream.
   * @param graph exports only this graph, as the default graph; absent: all graphs.
   * @throws AppError `INVALID_ARGUMENT` when the format does not support the graphs or triple terms
   * in the dataset.
   */
  async export(
    { orgId }: Caller,
    name: string,
    format: RdfFormat,
    graph?: Graph,
  ): Promise<StateExport> {
    return this.#read(orgId, name, async ({ store, blocks }, commit) => {
      const { roots } = readCommit(store, commit);
      await refuseFormat(new Snapshot(blocks, roots), format, graph);
      return { commit, text: this.#exported(orgId, roots, format, graph) };
    });
  }

  /** Proves that a commit's dataset contains a quad, or that it does not. */
  proof({ orgId }: Caller, name: string, quad: Quad): Promise<CommitProof> {
    return this.#read(orgId, name, ({ store, blocks }, commit) =>
      proveQuad(store, blocks, commit, quad),
    );
  }

  /**
   * Merges a commit into a branch, or computes the result only. With conflicts, nothing changes.
   */
  async merge(
    caller: Caller,
    order: {
      readonly branch: string;
      readonly from: string;
      readonly message: string;
      readonly singleValued: ReadonlySet<string>;
      readonly expected?: Hash | undefined;
    },
    isPreview: boolean,
  ): Promise<MergeOutcome> {
    if (!isPreview) this.#storage.admit(caller.orgId, "state", 0);
    return this.#change(caller, branchRef(order), (store) => {
      const theirs = commitNamed(store, order.from);
      const full = { ...order, theirs, author: authorOf(caller) };
      return mergingIntoBranch(store, this.#parts.clock, full, isPreview);
    });
  }

  /** Reverts a commit on a branch, or computes the result only. With conflicts, nothing changes. */
  async revert(
    caller: Caller,
    order: Omit<RevertOrder, "undone" | "author"> & { readonly commit: string },
    isPreview: boolean,
  ): Promise<RevertOutcome> {
    if (!isPreview) this.#storage.admit(caller.orgId, "state", 0);
    return this.#change(caller, branchRef(order), (store) => {
      const undone = commitNamed(store, order.commit);
      const full = { ...order, undone, author: authorOf(caller) };
      return revertOnBranch(store, this.#parts.clock, full, isPreview);
    });
  }

  /** Checks everything reachable from refs. */
  check({ orgId }: Pick<Caller, "orgId">): Promise<readonly Fault[]> {
    return this.#parts.repositories.check(orgId);
  }

  /** Deletes unreachable blocks older than the grace period. */
  collect({ orgId }: Pick<Caller, "orgId">): Promise<Collection> {
    return this.#parts.repositories.collect(orgId);
  }

  #read<T>(
    orgId: string,
    name: string,
    read: (opened: OpenStore, commit: Hash) => T | Promise<T>,
  ): Promise<T> {
    return this.#parts.repositories.read(orgId, (opened) =>
      read(opened, commitNamed(opened.store, name)),
    );
  }

  /**
   * Runs work with write access to the caller's store.
   * @throws AppError `POLICY_DENIED` for a ref that is reserved for the service.
   */
  async #write<T>(
    { orgId }: Caller,
    ref: string,
    work: (opened: OpenStore) => T | Promise<T>,
  ): Promise<T> {
    requireCallersRef(ref);
    return this.#parts.repositories.write(orgId, work);
  }

  /** Runs a search under the organization's limits, with pauses. */
  #search<T>(
    orgId: string,
    name: string,
    search: (opened: OpenStore, commit: Hash) => Pausing<T>,
  ): Promise<T> {
    return this.#read(orgId, name, (opened, commit) =>
      this.#searches.run(orgId, () => withPauses(search(opened, commit), STATE_SEARCH_MS_MAX)),
    );
  }

  /**
   * Runs a change under the organization's limits, with pauses. It ends, and no branch moves, when the caller is
   * refused meanwhile.
   */
  #change<T>(caller: Caller, ref: string, change: (store: BlockStore) => Pausing<T>): Promise<T> {
    const permission = new LastingPermission(caller, "change");
    return this.#write(caller, ref, ({ store }) =>
      this.#changes.run(caller.orgId, () =>
        withPauses(change(store), STATE_CHANGE_MS_MAX, () => permission.confirm()),
      ),
    );
  }

  async *#exported(
    orgId: string,
    roots: Roots,
    format: RdfFormat,
    graph: Graph | undefined,
  ): AsyncGenerator<string> {
    using opened = await this.#parts.repositories.acquire(orgId);
    const snapshot = new Snapshot(opened.blocks, roots);
    yield* this.#parts.rdf.write(exportedQuads(snapshot, graph), format);
  }
}

function branchRef({ branch }: { readonly branch: string }): string {
  return `heads/${branch}`;
}

function semaphoreFor(name: string, slotsMax: number): FairSemaphore {
  return new FairSemaphore({
    name,
    slotsMax,
    waitingMax: STATE_WAITING_MAX,
    waitMs: STATE_WAIT_MS,
  });
}

/** The author recorded in a commit. */
function authorOf({ userId, agentId, sessionId }: Caller): string {
  return userId ?? agentId ?? sessionId ?? "unknown";
}

function examinationBudget(): () => void {
  let left = STATE_EXAMINED_MAX;
  return () => {
    left -= 1;
    if (left >= 0) return;
    throw new AppError(
      "LIMIT_EXCEEDED",
      `The patterns examine more than ${STATE_EXAMINED_MAX} quads: make them more specific`,
    );
  };
}
