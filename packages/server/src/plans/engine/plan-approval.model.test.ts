import { describe, it } from "vitest";
import { runApprovalSchedules } from "./testing/approval-schedules.js";

const SCHEDULES = 600;

describe("approvals", () => {
  it(`let nothing run that was not approved, and nothing twice, in ${String(SCHEDULES)} schedules`, async () => {
    await runApprovalSchedules(SCHEDULES);
  }, 120_000);
});
