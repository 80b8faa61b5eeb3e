import { defineConfig } from "vitest/config";

/** The coordinator of a Citus cluster: `postgres://user:password@host/database`, whose schema public is emptied. */
const cluster = process.env["SERVICE_TEST_CITUS_URL"];
if (cluster === undefined) {
  process.stdout.write(
    "Skipped: these suites need a Citus cluster. Set SERVICE_TEST_CITUS_URL to the URL of a database on its " +
      "coordinator, to which the workers were added; the schema public of that database is emptied.\n",
  );
}

/** What the store's parts promise. The suites beside these folders look at one server's catalogs. */
const STORE =
  "packages/server/dist/storage/postgres/{audit,governance,memory,plans,retention,state,tool-calls,usage,webhooks}/*.test.js";

/**
 * The suites of the store, of the contract and of faults, with the store's tables distributed over a cluster
 * before each test. One test at a time has the database, so nothing here runs beside anything else.
 */
export default defineConfig({
  test: {
    include: cluster === undefined ? [] : [STORE, "test/dist/citus/*.test.js"],
    exclude: ["**/node_modules/**", "**/*.long.test.js"],
    passWithNoTests: true,
    setupFiles: ["vitest.seed.ts", "test/dist/citus/distribute.js"],
    env: { STEWARD_TEST_SEED: process.env["STEWARD_TEST_SEED"] ?? "1" },
    fileParallelism: false,
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
