import { defineConfig } from "vitest/config";
import { LongestFirst } from "./vitest.sequencer.js";
import { useTemporaryFilesInMemory } from "./vitest.temporary-files.js";

useTemporaryFilesInMemory();

/** Folders whose tests need no PostgreSQL server. */
const ROOMS =
  "{audit,catalog,config,embedding,governance,hints,kernel,memory,payments,plans,storage/sqlite,transport,usage,webhooks}";
const inRooms = [
  `packages/server/dist/${ROOMS}/**/*.test.js`,
  "packages/{kernel,postgres}/dist/**/*.test.js",
  "packages/schema/dist/{migrations,model,postgres,tracking,wanted}/**/*.test.js",
  "packages/state/dist/{blocks,datasets,history,service,sync,terms,tree,upkeep}/**/*.test.js",
];
/**
 * Tests of parts with dependencies: adapters, stores, commands, clients, and the server as a whole.
 */
const joined = [
  "packages/server/dist/{adapters,app,cli,identity,policies,storage}/**/*.test.js",
  "packages/{client,operations,protocol,schema,state}/dist/**/*.test.js",
];
const notHere = ["**/node_modules/**", "**/*.long.test.js"];

/**
 * A fixed seed, so that the result of a commit is reproducible; the long run finds new
 * counterexamples.
 */
const SEED = "1";

const shared = {
  setupFiles: ["vitest.seed.ts", "vitest.bundled-threads.ts"],
  env: { STEWARD_TEST_SEED: process.env["STEWARD_TEST_SEED"] ?? SEED },
  // These limits end what hangs. No test asserts by them, so a slow machine fails none.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
  // Node loads the tested modules itself; only the test files pass through vitest's loader.
  server: { deps: { external: [/\/packages\/[a-z-]+\/dist\/(?!.*\.test\.js)/] } },
};

const withPostgres = {
  globalSetup: ["packages/test-postgres/dist/vitest-setup.js"],
};

/**
 * Tests run from the build output, so that they test the shipped files. The files of `rooms` and of
 * `joined` share processes and must leave nothing behind there: reloading the modules for each file
 * took two fifths of the time.
 */
export default defineConfig({
  test: {
    // One more than the cores that a build server has: a worker waits most of the time, for PostgreSQL
    // or for a process that it started.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: { ...shared, name: "rooms", include: inRooms, exclude: notHere, isolate: false },
      },
      {
        test: {
          ...shared,
          ...withPostgres,
          name: "joined",
          include: joined,
          exclude: [...notHere, ...inRooms],
          isolate: false,
        },
      },
      // The console is bundled, not compiled, so its tests run from the sources.
      {
        test: {
          ...shared,
          name: "console",
          include: ["packages/console/src/**/*.test.ts"],
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          ...withPostgres,
          name: "whole",
          include: ["{packages/*,examples,test}/dist/**/*.test.js"],
          exclude: [...notHere, ...inRooms, ...joined, "test/dist/citus/**"],
        },
      },
    ],
  },
});
