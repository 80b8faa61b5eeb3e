import { AppError } from "@steward/kernel/errors.js";
import { hashOf, type Hash } from "../blocks/hash.js";
import type { BlockStore, OriginSync } from "../ports.js";
import { sendable } from "./publish.js";
import { collectReachable } from "../upkeep/reachable.js";

/** Numbers of refs and blocks that were copied and verified. */
export interface CopiedState {
  readonly refs: number;
  readonly blocks: number;
}

/**
 * Copies an organization's refs, and all blocks reachable from them, to an empty origin, and reads
 * every block back.
 * @throws AppError `STATE_CORRUPTED` when a source block is missing or damaged; `INTERNAL` when the
 * copy differs.
 */
export async function copyToOrigin(
  from: BlockStore,
  origin: OriginSync,
  orgId: string,
): Promise<CopiedState> {
  const refs = from.refs();
  const reachable = new Set<Hash>();
  collectReachable(
    from,
    refs.map(({ commit }) => commit),
    reachable,
  );
  for (const blocks of sendable(from, [...reachable])) {
    await origin.send(orgId, blocks);
    await refuseDifference(origin, orgId, [...blocks.keys()]);
  }
  const moves = refs.map(({ name, commit }) => ({ name, expected: undefined, next: commit }));
  const outcome = await origin.move(orgId, 0, moves, new Map());
  if (outcome !== "moved") throw notEqual(orgId, `its refs are ${outcome}`);
  return { refs: refs.length, blocks: reachable.size };
}

async function refuseDifference(
  origin: OriginSync,
  orgId: string,
  hashes: readonly Hash[],
): Promise<void> {
  for (let asked = hashes; asked.length > 0;) {
    const { blocks, rest } = await origin.blocks(orgId, asked);
    const later = new Set(rest);
    for (const hash of asked) {
      const bytes = blocks.get(hash);
      const isEqual = bytes === undefined ? later.has(hash) : hashOf(bytes) === hash;
      if (!isEqual) throw notEqual(orgId, `the block ${hash} has other content`);
    }
    asked = rest;
  }
}

function notEqual(orgId: string, reason: string): AppError {
  const message = `The copy of the state of ${orgId} is not equal to the original: ${reason}`;
  return new AppError("INTERNAL", message);
}
