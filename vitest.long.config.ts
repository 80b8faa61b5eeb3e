import { defineConfig } from "vitest/config";

/** What takes too long to run on every change: many rounds of the same proofs. */
export default defineConfig({
  test: {
    include: ["packages/*/dist/**/*.long.test.js", "test/dist/**/*.long.test.js"],
    exclude: ["**/node_modules/**"],
    globalSetup: ["packages/test-postgres/dist/vitest-setup.js"],
    testTimeout: 30 * 60_000,
    maxWorkers: 2,
  },
});
