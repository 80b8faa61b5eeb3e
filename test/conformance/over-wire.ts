import { freshDatabase } from "@steward/test-postgres";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { Wire } from "./client.js";
import type { Engine, Scenario } from "./scenario.js";
import { scenarios, stepScenarios } from "./scenarios/index.js";
import { Steward } from "./steward.js";

/** Options beside the protocol and the engine of the store. */
export interface ConformanceOptions {
  /** The engine of the data source; SQLite unless given. */
  readonly source?: Engine;
  /** Leaves out the scenarios of both protocols, and on PostgreSQL those that no store matters to. */
  readonly onlyThisWire?: boolean;
}

/** Runs the scenarios of a protocol against one server; each has its own organization. */
export function conformOver(
  wire: Wire,
  engine: Engine,
  { source = "SQLite", onlyThisWire = false }: ConformanceOptions = {},
): void {
  describe(`over ${wire}, on ${engine}, working on ${source}`, () => {
    let steward: Steward | undefined;
    let database: AsyncDisposable | undefined;
    beforeAll(async () => {
      const settings = { SERVICE_EMBEDDING_PROVIDER: "hash" };
      if (engine === "SQLite") {
        steward = await Steward.startProcess(settings, { source, isShortLived: false });
      } else {
        const fresh = await freshDatabase();
        database = fresh;
        const all = { ...settings, SERVICE_DATABASE_URL: fresh.url };
        steward = await Steward.startProcess(all, { source, isShortLived: false });
      }
    });
    afterAll(async () => {
      await steward?.[Symbol.asyncDispose]();
      await database?.[Symbol.asyncDispose]();
    });

    const isMeant = (each: Scenario): boolean =>
      each.over.includes(wire) &&
      (each.source ?? source) === source &&
      !(onlyThisWire && each.over.length > 1) &&
      !(onlyThisWire && engine === "PostgreSQL" && each.isIndependentOfStore);
    // The other scenarios do not depend on the data source.
    const all = source === "SQLite" ? scenarios : stepScenarios;
    for (const { title, run } of all.filter(isMeant)) {
      it(title, async () => {
        if (steward === undefined) throw new Error("the server did not start");
        await run({ steward, client: steward.client(wire) });
      });
    }
  });
}
