import { describe, it } from "vitest";
import { runEngineSchedules } from "./testing/engine-schedules.js";

const SCHEDULES = 2000;

describe("the plan engine", () => {
  it(`loses nothing and does nothing twice in ${String(SCHEDULES)} schedules`, async () => {
    await runEngineSchedules(SCHEDULES);
  }, 120_000);
});
