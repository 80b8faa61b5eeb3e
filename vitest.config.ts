import { defineConfig } from "vitest/config";
import { useTemporaryFilesInMemory } from "./vitest.temporary-files.js";

useTemporaryFilesInMemory();

/** Rooms whose tests need no PostgreSQL server, and leave nothing behind in the process that runs them. */
const ROOMS =
  "{config,embedding,governance,kernel,memory,payments,plans,schema,state,transport,usage}";
const inRooms = `packages/server/dist/${ROOMS}/**/*.test.js`;
const notHere = ["**/node_modules/**", "**/*.long.test.js"];

/** One for all runs, so that a commit passes or fails for what it is; the long run finds new counterexamples. */
const SEED = "1";

const shared = {
  setupFiles: ["vitest.seed.ts"],
  env: { STEWARD_TEST_SEED: process.env["STEWARD_TEST_SEED"] ?? SEED },
  testTimeout: 20_000,
};

/** Tests run from what was built, so that they exercise the files that ship. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: "rooms",
          include: [inRooms],
          exclude: notHere,
          // Loading the modules anew for each file took two fifths of the time.
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: "whole",
          include: ["packages/*/dist/**/*.test.js", "test/dist/**/*.test.js"],
          exclude: [...notHere, inRooms],
          globalSetup: ["packages/test-postgres/dist/vitest-setup.js"],
          // The first to ask for a PostgreSQL server waits until it has been made and started.
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
