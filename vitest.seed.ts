/// <reference types="node" />
import fc from "fast-check";

/** The seed of everything random in a run of the tests, as `vitest.config.ts` and `vitest.long.config.ts` choose it. */
fc.configureGlobal({ seed: Number(process.env["STEWARD_TEST_SEED"]) });
