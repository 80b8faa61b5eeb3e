import { existsSync } from "node:fs";
import { type Collection, type Fault, GRACE_MS } from "@steward/state";
import type { StateUpkeep } from "@steward/state/ports";
import { stateFile } from "./block-stores.js";
import { StateThreads } from "./state-threads.js";

/** Checks stores and collects garbage outside the event loop. */
export class SqliteStateUpkeep implements StateUpkeep {
  readonly #directory: string;
  readonly #threads = new StateThreads();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async check(orgId: string): Promise<readonly Fault[]> {
    const path = stateFile(this.#directory, orgId);
    if (!existsSync(path)) return [];
    const report = await this.#threads.run({ path, task: "check" });
    return report.kind === "checked" ? report.faults : [];
  }

  async collect(orgId: string): Promise<Collection> {
    const nothing = { kept: 0, deleted: 0 };
    const path = stateFile(this.#directory, orgId);
    if (!existsSync(path)) return nothing;
    const report = await this.#threads.run({ path, task: "collect", graceMs: GRACE_MS });
    return report.kind === "collected" ? report.collection : nothing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads[Symbol.asyncDispose]();
  }
}
