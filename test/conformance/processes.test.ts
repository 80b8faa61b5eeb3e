import { describe, it } from "vitest";
import { processScenarios } from "./process-scenarios/index.js";

describe("a server's process", () => {
  for (const { title, run } of processScenarios) it(title, run);
});
