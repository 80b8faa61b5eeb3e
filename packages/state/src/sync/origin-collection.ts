import { AppError } from "@steward/kernel/errors.js";
import type { Collection } from "../upkeep/garbage.js";
import type { Hash } from "../blocks/hash.js";
import { generationOf, type OpenClones } from "./open-clones.js";
import type { Clones, Origin } from "../ports.js";
import { collectReachable } from "../upkeep/reachable.js";

/** Blocks examined, and deleted, per page. */
const PAGE_BLOCKS = 5000;
/** Attempts to delete a page while refs are being moved concurrently. */
const TRIES_MAX = 100;

export interface CollectionParts {
  readonly orgId: string;
  readonly origin: Origin;
  readonly clones: Clones;
  readonly open: OpenClones;
  readonly graceMs: number;
}

/**
 * Deletes unreachable blocks of an origin while other nodes may commit. Reachable blocks are marked
 * in the clone. A page is deleted only if no ref has moved since; otherwise the blocks reachable
 * from the moved refs are marked first. A node that relied on a deleted block retries its work,
 * because its moves name the number of deletions that it has seen.
 */
export class OriginCollection {
  readonly #parts: CollectionParts;
  #kept = new Set<Hash>();
  #version = -1;

  constructor(parts: CollectionParts) {
    this.#parts = parts;
  }

  /**
   * @throws AppError `STATE_CORRUPTED`, having deleted nothing, when not all reachable blocks can
   * be read; `STATE_CONFLICT` while another node collects.
   */
  async run(): Promise<Collection> {
    const { orgId, origin, graceMs } = this.#parts;
    const claim = await origin.claimCollection(orgId);
    if (claim === "none") return { kept: 0, deleted: 0 };
    if (claim === "taken") {
      throw new AppError(
        "STATE_CONFLICT",
        "Another server is collecting the garbage of this state; try again later",
      );
    }
    let isDone = false;
    try {
      await this.#mark();
      let deleted = 0;
      let page = await origin.oldBlocks(orgId, graceMs, undefined, PAGE_BLOCKS);
      for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
        deleted += await this.#sweep(page);
        page = await origin.oldBlocks(orgId, graceMs, last, PAGE_BLOCKS);
      }
      isDone = true;
      return { kept: this.#kept.size, deleted };
    } finally {
      await origin.endCollection(orgId, isDone);
    }
  }

  /** Marks reachable blocks in a worker thread; in a new clone when this one is damaged. */
  async #mark(): Promise<void> {
    try {
      await this.#markOnce();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "STATE_CORRUPTED") throw error;
      this.#parts.open.discard(this.#parts.orgId);
      await this.#markOnce();
    }
  }

  async #markOnce(): Promise<void> {
    const { orgId, clones, open } = this.#parts;
    using checkout = await open.checkout(orgId);
    if (checkout === undefined) return;
    const { refs } = checkout;
    const commits = refs.refs.map(({ commit }) => commit);
    this.#kept = await clones.reachable(orgId, generationOf(refs), commits);
    this.#version = refs.version;
  }

  async #sweep(page: readonly Hash[]): Promise<number> {
    const { orgId, origin, graceMs } = this.#parts;
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      const garbage = page.filter((hash) => !this.#kept.has(hash));
      if (garbage.length === 0) return 0;
      const deleted = await origin.sweep(orgId, this.#version, graceMs, garbage);
      if (deleted !== undefined) return deleted;
      await this.#markMoved();
    }
    return 0;
  }

  /**
   * Marks what is reachable from moved refs. This is cheap, because marking stops at known blocks.
   */
  async #markMoved(): Promise<void> {
    using checkout = await this.#parts.open.checkout(this.#parts.orgId);
    if (checkout === undefined) return;
    collectReachable(
      checkout.store,
      checkout.refs.refs.map(({ commit }) => commit),
      this.#kept,
    );
    this.#version = checkout.refs.version;
  }
}
