import { freshDatabase } from "@steward/test-postgres";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { KillPlace } from "../../testing/state-kill-rounds.js";
import { Database } from "../database.js";
import { migrate } from "../migrate.js";
import { openStateNode } from "./state-node.js";

/** A database that several nodes write. After a kill, each node finds its clones again. */
export async function postgresKillPlace(): Promise<KillPlace> {
  const database = await freshDatabase();
  await using db = new Database(database.url);
  await migrate(db);
  const dir = mkdtempSync(join(tmpdir(), "steward-state-kill-"));
  const observer = openStateNode(database.url, join(dir, "observer"));
  return {
    driver: new URL("./state-driver-child.js", import.meta.url),
    args: (branch) => [database.url, join(dir, branch)],
    async settle() {
      // The lease of a killed collector would delay the test, so it is deleted.
      await database.query("UPDATE state_stores SET collecting_until_ms = 0");
    },
    check: () => observer.repositories.check(NIL_ORG_ID),
    read: (work) =>
      observer.repositories.read(NIL_ORG_ID, ({ store }) => {
        work(store);
      }),
    async [Symbol.asyncDispose]() {
      await observer[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      rmSync(dir, { recursive: true });
    },
  };
}
