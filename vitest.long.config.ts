import { defineConfig } from "vitest/config";
import { useTemporaryFilesInMemory } from "./vitest.temporary-files.js";

useTemporaryFilesInMemory();

/** A new seed for each run, while `npm test` always uses the same. A failure names it. */
const seed = process.env["STEWARD_TEST_SEED"] ?? String(Date.now() >>> 0);

/** Tests that take too long for every change: many rounds of the same properties. */
export default defineConfig({
  test: {
    include: ["packages/*/dist/**/*.long.test.js", "test/dist/**/*.long.test.js"],
    exclude: ["**/node_modules/**"],
    setupFiles: ["vitest.seed.ts", "vitest.bundled-threads.ts"],
    env: { STEWARD_TEST_SEED: seed },
    globalSetup: ["packages/test-postgres/dist/vitest-setup.js"],
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 30 * 60_000,
    maxWorkers: 2,
  },
});
