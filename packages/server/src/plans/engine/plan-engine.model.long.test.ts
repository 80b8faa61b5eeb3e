import { describe, it } from "vitest";
import { runApprovalSchedules } from "./testing/approval-schedules.js";
import { runEngineSchedules } from "./testing/engine-schedules.js";

describe("in tens of thousands of schedules", () => {
  it("the plan engine loses nothing and does nothing twice", async () => {
    await runEngineSchedules(50_000);
  });

  it("approvals let nothing run that was not approved, and nothing twice", async () => {
    await runApprovalSchedules(20_000);
  });
});
