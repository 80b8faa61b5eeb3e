import { defineConfig } from "vitest/config";

/** Tests run from what was built, so that they exercise the files that ship. */
export default defineConfig({
  test: {
    include: ["packages/*/dist/**/*.test.js", "test/dist/**/*.test.js"],
    exclude: ["**/node_modules/**", "**/*.long.test.js"],
    globalSetup: ["packages/test-postgres/dist/vitest-setup.js"],
    testTimeout: 20_000,
    // The first to ask for a PostgreSQL server waits until it has been made and started.
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
