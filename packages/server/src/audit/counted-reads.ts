import type { Caller } from "@steward/kernel/caller.js";
import type { AuditFact } from "../kernel/audit-fact.js";
import { AUDIT_READERS_MAX, AUDIT_READS_MS } from "./limits.js";

/** The reads of one caller since its record. */
interface Window {
  readonly fact: AuditFact;
  readonly endsMs: number;
  /** Resolves when the record of the first read is durable. */
  readonly isRecorded: Promise<void>;
  /** The reads after the first one. */
  count: number;
}

/**
 * Reads that come in large numbers, such as those of a mirror that fetches file after file. The first
 * read of a caller has its record before it is answered. Those of the next hour are counted, and their
 * number is stored with the record after that hour. A record for each would never end: the mirror
 * fetches the records of its own reads too.
 */
export class CountedReads {
  readonly #store: (facts: readonly AuditFact[]) => Promise<void>;
  readonly #windows = new Map<string, Window>();

  /** @param store stores facts; they are durable when it resolves. */
  constructor(store: (facts: readonly AuditFact[]) => Promise<void>) {
    this.#store = store;
  }

  /**
   * Records or counts a read. The read may be answered when it resolves.
   * @throws AppError `STORE_UNAVAILABLE`.
   */
  async record(caller: Caller, fact: AuditFact): Promise<void> {
    const { orgId, kind, userId, agentId, keyId, request } = caller;
    const who = [fact.kind, orgId, kind, userId, agentId, keyId, request?.peerAddress];
    const key = JSON.stringify(who);
    const known = this.#windows.get(key);
    if (known !== undefined && fact.atMs < known.endsMs) {
      known.count += 1;
      return known.isRecorded;
    }
    const ended = known === undefined ? this.#takeBeyondLimit() : [known];
    const isRecorded = this.#store([...countsOf(ended), fact]);
    this.#windows.set(key, { fact, endsMs: fact.atMs + AUDIT_READS_MS, isRecorded, count: 0 });
    try {
      await isRecorded;
    } catch (error) {
      this.#windows.delete(key);
      throw error;
    }
  }

  /** Stores the numbers that are only in memory; the next read of each caller has a record again. */
  async storeCounts(): Promise<void> {
    const ended = [...this.#windows.values()];
    this.#windows.clear();
    await this.#store(countsOf(ended));
  }

  /** Makes room for another caller by ending the oldest window. */
  #takeBeyondLimit(): readonly Window[] {
    const oldest = [...this.#windows].slice(0, 1);
    if (this.#windows.size < AUDIT_READERS_MAX) return [];
    for (const [key] of oldest) this.#windows.delete(key);
    return oldest.map(([, window]) => window);
  }
}

/** The records of how many more reads there were. */
function countsOf(windows: readonly Window[]): readonly AuditFact[] {
  return windows
    .filter(({ count }) => count > 0)
    .map(({ fact: { personal: _parameters, ...fact }, count }) => ({
      ...fact,
      detail: { ...fact.detail, count },
    }));
}
