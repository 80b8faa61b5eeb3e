import { AppError } from "@steward/kernel/errors.js";
import { sqlStateOf } from "@steward/postgres";
import {
  CallsToRemember,
  indexEntry,
  toolCallEntryId,
  type IndexEntry,
  type TakenCalls,
} from "../../../memory/index.js";
import type { EmbeddedEntry } from "../../../memory/ports.js";
import type { PlanRef } from "../../../plans/ports.js";
import { UNIQUE_VIOLATION, type Database } from "../database.js";
import type { ReadPlans } from "../tool-calls/tool-call-feed.js";
import { acknowledge, readUnreadOf, type UnreadCalls } from "../tool-calls/unread-calls.js";
import { insertEntries } from "./memory-writes.js";

/** A batch of calls for the main thread, which decides about them and has them embedded. */
export interface NumberedCalls extends ReadPlans {
  readonly number: number;
  readonly taken: TakenCalls;
}

/** The decisions about a batch. */
export interface DecidedCalls {
  readonly number: number;
  readonly modelId: number;
  /** One for each call; `undefined` for a call that gets no entry. */
  readonly vectors: readonly (Float32Array | undefined)[];
}

/** Another node has stored some of the entries first; the transaction is rolled back. */
class Overtaken extends Error {}

/**
 * Creates memory entries from plans' logs. It is used in a thread of its own, where calls are read and their
 * entries made and written; the main thread names the plans, gets texts and returns vectors. Several nodes
 * remember at once: of a plan whose position another node has moved first, that node makes the entries.
 */
export class PendingMemory {
  readonly #db: Database;
  #number = 0;
  /** The batch that was taken last. */
  #taken: { readonly calls: CallsToRemember; readonly parts: readonly UnreadCalls[] } | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  async take(plans: readonly PlanRef[], limit: number): Promise<NumberedCalls> {
    const { parts, left, unreadable } = await readUnreadOf(this.#db, "memory", plans, limit);
    const read = parts.flatMap((part) => part.calls);
    if (read.length === 0 && parts.length > 0) {
      await this.#db.transaction((connection) => acknowledge(connection, "memory", parts));
    }
    const calls = new CallsToRemember({ calls: read, isCut: left.length > 0 });
    this.#taken = { calls, parts };
    this.#number += 1;
    return { number: this.#number, taken: calls.taken, left, unreadable };
  }

  /** @throws AppError `STORE_UNAVAILABLE` when the batch was taken from a thread that has ended. */
  async remember({ number, modelId, vectors }: DecidedCalls): Promise<readonly IndexEntry[]> {
    if (number !== this.#number || this.#taken === undefined) {
      const cause = new Error("the calls were taken from a thread that has ended");
      const message = "The store cannot be written to now";
      throw new AppError("STORE_UNAVAILABLE", message, { cause, retryAfterMs: 1000 });
    }
    const { calls, parts } = this.#taken;
    const entries = calls.entriesWith(vectors);
    await this.#store(entries, parts, modelId).catch((error: unknown) => {
      const isOvertaken = error instanceof Overtaken || sqlStateOf(error) === UNIQUE_VIOLATION;
      if (isOvertaken) return this.#storeRest(entries, parts, modelId);
      throw error;
    });
    return entries.map(indexEntry);
  }

  /** Steps that start or end their plan wait for the plan's row, so it is locked after the slow inserts. */
  #store(
    entries: readonly EmbeddedEntry[],
    parts: readonly UnreadCalls[],
    modelId: number,
  ): Promise<void> {
    return this.#db.transaction((connection) =>
      insertEntries(connection, entries, modelId, async () => {
        const plans = await acknowledge(connection, "memory", parts);
        if (plans.size < parts.length) throw new Overtaken();
      }),
    );
  }

  /** Stores the entries that no other node has stored meanwhile. */
  #storeRest(
    entries: readonly EmbeddedEntry[],
    parts: readonly UnreadCalls[],
    modelId: number,
  ): Promise<void> {
    return this.#db.transaction(async (connection) => {
      const plans = await acknowledge(connection, "memory", parts);
      const ours = new Set(
        parts
          .filter(({ ref }) => plans.has(ref.planId))
          .flatMap((part) => part.calls.map(toolCallEntryId)),
      );
      const own = entries.filter(({ entry }) => ours.has(entry.entryId));
      await insertEntries(connection, own, modelId);
    });
  }
}
