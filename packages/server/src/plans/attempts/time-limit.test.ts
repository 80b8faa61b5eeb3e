import { describe, expect, it } from "vitest";
import { StatementError } from "../ports.js";
import { timeLimitOf, withTimeLimit } from "./time-limit.js";

const operator = { stepTimeoutMs: 1000, sourceTimeoutsMs: new Map([["crm", 500]]) };
const DAY_MS = 86_400_000;

/** The limit of a step, and the end of the message when it has passed. */
function limit(step: { dataSource: string; timeoutMs?: number }, leftMs = DAY_MS) {
  const found = timeLimitOf(step, operator, leftMs);
  const end = withTimeLimit(new StatementError("timeout", "Stopped"), found, step);
  return [found.ms, found.owner, end.message];
}

describe("the time limit of an attempt", () => {
  it("is the smallest one of server, data source, step and plan, and says what to do", () => {
    expect(limit({ dataSource: "shop" })).toEqual([
      ...[1000, "server"],
      "Stopped. The limit of 1000 ms is the server's: change the step so that it does less, or ask the operator to raise SERVICE_STEP_TIMEOUT_MS",
    ]);
    expect(limit({ dataSource: "crm", timeoutMs: 900 })).toEqual([
      ...[500, "source"],
      "Stopped. The limit of 500 ms is that of the data source crm: change the step so that it does less, or ask the operator to raise timeout_ms of the data source in the tools file",
    ]);
    expect(limit({ dataSource: "crm", timeoutMs: 100 })).toEqual([
      ...[100, "step"],
      "Stopped. The limit of 100 ms is the step's own timeout_ms: set a longer one, at most 500 ms here, or change the step so that it does less",
    ]);
    expect(limit({ dataSource: "crm", timeoutMs: 100 }, 7)).toEqual([
      ...[7, "plan"],
      "Stopped. Only 7 ms were left until the plan's deadline: submit the remaining steps as a new plan",
    ]);
  });

  it("is the operator's when a step asks for all of it, because a step cannot raise it", () => {
    expect(limit({ dataSource: "crm", timeoutMs: 500 })[1]).toBe("source");
    expect(limit({ dataSource: "shop", timeoutMs: 1000 })[1]).toBe("server");
    // A stored step may ask for more than the operator permits by now.
    expect(limit({ dataSource: "shop", timeoutMs: 2000 })[0]).toBe(1000);
  });

  it("is told of no other failure", () => {
    const step = { dataSource: "shop", timeoutMs: 5 };
    const found = timeLimitOf(step, operator, DAY_MS);
    const failed = new StatementError("statement", "no such table: x");
    expect(withTimeLimit(failed, found, step)).toBe(failed);
    const unknown = new StatementError("unknown", "Lost", { isOverTime: true, hints: ["Look"] });
    expect(withTimeLimit(unknown, found, step)).toMatchObject({
      ...{ reason: "unknown", hints: ["Look"], isOverTime: true },
      message: expect.stringMatching(/^Lost\. The limit of 5 ms is the step's/),
    });
  });
});
