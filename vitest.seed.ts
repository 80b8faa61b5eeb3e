/// <reference types="node" />
import fc from "fast-check";

/**
 * The seed of all randomness in a test run, chosen by `vitest.config.ts` and
 * `vitest.long.config.ts`.
 */
fc.configureGlobal({ seed: Number(process.env["STEWARD_TEST_SEED"]) });
