import { assert } from "@steward/kernel/assert.js";
import type { CallOrigin, ToolCallBatch } from "../kernel/tool-call.js";
import { embeddedEntries } from "./embedded-entry.js";
import { toolCallEntry, type MemoryEntry } from "./entry.js";
import type { EmbeddedEntry } from "./ports.js";

/** A tool call that may become an entry. */
export interface TakenCall extends Pick<MemoryEntry, "entryId" | "content"> {
  /** The index of its origin among those of the batch. */
  readonly origin: number;
}

/** A batch of tool calls that have no entries yet, with what is needed to decide and to embed. */
export interface TakenCalls {
  readonly calls: readonly TakenCall[];
  /** Policies are asked about each of these; calls with equal origins share one. */
  readonly origins: readonly CallOrigin[];
  /** Whether the batch reached its limit, so that more calls may be waiting. */
  readonly isCut: boolean;
}

/** The entries that a batch of tool calls can become. */
export class CallsToRemember {
  readonly taken: TakenCalls;
  readonly #entries: readonly MemoryEntry[];

  constructor({ calls, isCut }: ToolCallBatch) {
    this.#entries = calls.map(toolCallEntry);
    const origins: CallOrigin[] = [];
    const indexes = new Map<string, number>();
    const taken = this.#entries.map(({ entryId, content }, at): TakenCall => {
      const call = calls[at];
      assert(call !== undefined, "each entry is of a call");
      const { orgId, caller, sessionId, dataSource, intent, kinds, touched, boundSources } = call;
      const own = { orgId, caller, sessionId, dataSource, intent, touched };
      const origin = {
        ...own,
        ...(kinds && { kinds }),
        ...(boundSources && { boundSources }),
      };
      const key = JSON.stringify(origin);
      const known = indexes.get(key);
      if (known !== undefined) return { entryId, content, origin: known };
      indexes.set(key, origins.length);
      origins.push(origin);
      return { entryId, content, origin: origins.length - 1 };
    });
    this.taken = { calls: taken, origins, isCut };
  }

  /** @param vectors one for each call; `undefined` for a call that gets no entry. */
  entriesWith(vectors: readonly (Float32Array | undefined)[]): readonly EmbeddedEntry[] {
    assert(vectors.length === this.#entries.length, "each call was decided");
    return embeddedEntries(
      this.#entries.filter((_, at) => vectors[at] !== undefined),
      vectors.filter((vector) => vector !== undefined),
    );
  }
}
