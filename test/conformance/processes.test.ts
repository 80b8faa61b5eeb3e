import { afterAll, describe, it } from "vitest";
import { processScenarios } from "./process-scenarios/index.js";
import { closeShared } from "./shared-steward.js";

describe("a server's process", () => {
  afterAll(closeShared);
  for (const { title, run } of processScenarios) it(title, run);
});
