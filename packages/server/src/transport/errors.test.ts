import { ERROR_CODES } from "@steward/protocol";
import { describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { REQUEST_TOO_LARGE, restErrorOf, WIRE_STATUS } from "./errors.js";

describe("the table of errors", () => {
  // The rows of Decision §9 as literals, so that a change of the table is deliberate.
  it.each([
    ["INVALID_PLAN", 400, "INVALID_ARGUMENT"],
    ["PLAN_CYCLE", 400, "INVALID_ARGUMENT"],
    ["BAD_PLACEHOLDER", 400, "INVALID_ARGUMENT"],
    ["LIMIT_EXCEEDED", 400, "INVALID_ARGUMENT"],
    ["PLAN_NOT_FOUND", 404, "NOT_FOUND"],
    ["STEP_NOT_FOUND", 404, "NOT_FOUND"],
    ["STEP_DEPENDENCIES_NOT_MET", 409, "FAILED_PRECONDITION"],
    ["PLAN_NOT_ACTIVE", 409, "FAILED_PRECONDITION"],
    ["APPROVAL_REQUIRED", 409, "FAILED_PRECONDITION"],
    ["POLICY_DENIED", 403, "PERMISSION_DENIED"],
    ["UNAUTHENTICATED", 401, "UNAUTHENTICATED"],
    ["QUOTA_EXCEEDED", 429, "RESOURCE_EXHAUSTED"],
    ["ORCHESTRATOR_NOT_CONFIGURED", 501, "UNIMPLEMENTED"],
    ["STORE_UNAVAILABLE", 503, "UNAVAILABLE"],
    ["IDEMPOTENCY_CONFLICT", 422, "ALREADY_EXISTS"],
    ["CURSOR_OUT_OF_RANGE", 400, "OUT_OF_RANGE"],
  ] as const)("tells %s as HTTP %i", (code, http, grpc) => {
    expect(WIRE_STATUS[code]).toEqual({ http, grpc });
  });

  it("knows every code and no other", () => {
    expect(Object.keys(WIRE_STATUS).sort()).toEqual([...ERROR_CODES].sort());
  });
});

describe("an error as an HTTP response", () => {
  it("says what went wrong, for people and for programs, field by field", () => {
    const details = [{ field: "steps[0].step_id", reason: "it is empty" }];
    const error = new AppError("INVALID_PLAN", "The plan is not valid", { details });
    expect(restErrorOf(error)).toEqual({
      status: 400,
      headers: {},
      body: { error: "The plan is not valid", code: "INVALID_PLAN", details },
    });
  });

  it("leaves details out when there are none", () => {
    const body = { error: "Unknown plan p1", code: "PLAN_NOT_FOUND" };
    expect(restErrorOf(new AppError("PLAN_NOT_FOUND", "Unknown plan p1")).body).toEqual(body);
  });

  it("rounds the time to wait up to whole seconds", () => {
    const after = (retryAfterMs: number): unknown =>
      restErrorOf(new AppError("QUOTA_EXCEEDED", "Slow down", { retryAfterMs })).headers;
    expect(after(1)).toEqual({ "retry-after": "1" });
    expect(after(1001)).toEqual({ "retry-after": "2" });
  });

  it("tells nothing of an error that was not meant for the caller", () => {
    const told = restErrorOf(new Error("password=hunter2"));
    expect(told.status).toBe(500);
    expect(JSON.stringify(told)).not.toContain("hunter2");
  });

  it("tells a request too large to read by its own status", () => {
    const error = new AppError("LIMIT_EXCEEDED", "The request is larger than 4 MiB");
    expect(restErrorOf(error, REQUEST_TOO_LARGE).status).toBe(413);
  });
});
