import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { assert } from "@steward/kernel/assert.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Fault, Hash } from "@steward/state";
import type { BlockStore, Clones } from "@steward/state/ports";
import { makePrivateDirectory } from "../../private-files.js";
import { openSqliteBlockStore } from "./block-store.js";
import { stateFile } from "./block-stores.js";
import { StateThreads } from "./state-threads.js";

/** SQLite's codes for files that are damaged or not a database. */
const DAMAGE_CODES: readonly unknown[] = [11, 26];

/** Clones in files of one directory, which no other process uses. */
export class SqliteClones implements Clones {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #threads = new StateThreads();

  /** @param directory created with the first clone. */
  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  open(orgId: string, generation: number): BlockStore {
    const path = this.#path(orgId, generation);
    if (!existsSync(path)) this.discard(orgId);
    try {
      return this.#openFile(path);
    } catch (error) {
      if (!this.isDamage(error)) throw error;
      this.discard(orgId);
      return this.#openFile(path);
    }
  }

  discard(orgId: string): void {
    if (!existsSync(this.#directory)) return;
    const own = readdirSync(this.#directory).filter((name) => name.startsWith(`${orgId}.`));
    for (const name of own) rmSync(join(this.#directory, name), { force: true });
  }

  isDamage(error: unknown): boolean {
    const cause: unknown = error instanceof AppError ? error.cause : error;
    return cause instanceof Error && "errcode" in cause && DAMAGE_CODES.includes(cause.errcode);
  }

  async reachable(orgId: string, generation: number, commits: readonly Hash[]): Promise<Set<Hash>> {
    const path = this.#path(orgId, generation);
    const report = await this.#threads.run({ path, task: "mark", commits });
    return new Set(report.kind === "marked" ? report.reachable : []);
  }

  async check(fill: (scratch: BlockStore) => Promise<void>): Promise<readonly Fault[]> {
    makePrivateDirectory(this.#directory);
    const directory = mkdtempSync(join(this.#directory, "check-"));
    try {
      const path = join(directory, "scratch.db");
      {
        using scratch = this.#openFile(path);
        await fill(scratch);
      }
      const report = await this.#threads.run({ path, task: "check" });
      assert(report.kind === "checked", "a check reports what it has found");
      return report.faults;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads[Symbol.asyncDispose]();
  }

  /** A lost clone is fetched again from the origin, so it need not survive a power failure. */
  #openFile(path: string): BlockStore {
    makePrivateDirectory(this.#directory);
    return openSqliteBlockStore(path, this.#clock, "NORMAL");
  }

  #path(orgId: string, generation: number): string {
    return stateFile(this.#directory, orgId, `.${String(generation)}`);
  }
}
