import type { ToolCallBatch } from "../../../kernel/tool-call.js";
import {
  CallsToRemember,
  indexEntry,
  type IndexEntry,
  type TakenCalls,
} from "../../../memory/index.js";
import { unavailable } from "../commit-protocol.js";
import type { JoinedWriter } from "../joined-writer.js";
import type { CommittedReads } from "../reads/store-reads.js";
import { type FeedConsumer, SqliteToolCallFeed } from "../tool-calls/tool-call-feed.js";
import type { SqliteToolCallLog } from "../tool-calls/tool-call-log.js";
import { TriedCalls, type TriedCall } from "../tool-calls/tried-calls.js";
import { writeEntries } from "./memory-writes.js";

/**
 * The consumer whose cursor in the log of tool calls separates calls with a memory entry from those
 * without.
 */
export const MEMORY_CONSUMER: FeedConsumer = { name: "memory", withOutputs: true };

/** A batch of calls for the main thread, which decides about them and has them embedded. */
export interface NumberedCalls {
  readonly number: number;
  readonly taken: TakenCalls;
  readonly tried: readonly TriedCall[];
}

/** The decisions about a batch. */
export interface DecidedCalls {
  readonly number: number;
  readonly modelId: number;
  /** One for each call; `undefined` for a call that gets no entry. */
  readonly vectors: readonly (Float32Array | undefined)[];
}

/**
 * Creates memory entries from the log of tool calls. It is used in a thread of its own, where calls
 * are read and their entries made and written; the main thread gets texts and returns vectors.
 */
export class PendingMemory {
  readonly #writer: Pick<JoinedWriter, "commit">;
  readonly #feed: SqliteToolCallFeed;
  #number = 0;
  #calls: CallsToRemember | undefined;
  #batch: ToolCallBatch | undefined;

  constructor(writer: Pick<JoinedWriter, "commit">, db: CommittedReads, log: SqliteToolCallLog) {
    this.#writer = writer;
    const commitSoon = (unit: Parameters<JoinedWriter["commit"]>[0]): Promise<void> =>
      writer.commit(unit);
    this.#feed = new SqliteToolCallFeed({ commitSoon }, db, log, MEMORY_CONSUMER);
  }

  /** @param waiting the calls that are not tried yet. */
  async take(limit: number, waiting: readonly string[]): Promise<NumberedCalls> {
    const tried = new TriedCalls(waiting);
    this.#batch = await this.#feed.take(limit, tried);
    this.#calls = new CallsToRemember(this.#batch);
    this.#number += 1;
    if (this.#batch.calls.length === 0) await this.#feed.done(this.#batch);
    return { number: this.#number, taken: this.#calls.taken, tried: tried.all };
  }

  /** @throws AppError `STORE_UNAVAILABLE` when the batch was taken from a thread that has ended. */
  async remember({ number, modelId, vectors }: DecidedCalls): Promise<readonly IndexEntry[]> {
    if (number !== this.#number || this.#calls === undefined || this.#batch === undefined) {
      throw unavailable(new Error("the calls were taken from a thread that has ended"));
    }
    const entries = this.#calls.entriesWith(vectors);
    await this.#writer.commit([
      ...writeEntries(entries, modelId),
      ...this.#feed.doneWrites(this.#batch),
    ]);
    return entries.map(indexEntry);
  }
}
