import { defineConfig } from "vitest/config";
import { useTemporaryFilesInMemory } from "./vitest.temporary-files.js";

useTemporaryFilesInMemory();

/** A new one for each run, where `npm test` always has the same. A failure names it. */
const seed = process.env["STEWARD_TEST_SEED"] ?? String(Date.now() >>> 0);

/** What takes too long to run on every change: many rounds of the same proofs. */
export default defineConfig({
  test: {
    include: ["packages/*/dist/**/*.long.test.js", "test/dist/**/*.long.test.js"],
    exclude: ["**/node_modules/**"],
    setupFiles: ["vitest.seed.ts"],
    env: { STEWARD_TEST_SEED: seed },
    globalSetup: ["packages/test-postgres/dist/vitest-setup.js"],
    testTimeout: 30 * 60_000,
    maxWorkers: 2,
  },
});
