import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { status } from "@grpc/grpc-js";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
  StatusSchema,
} from "@steward/protocol/grpc";
import { describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { REQUEST_TOO_LARGE } from "../errors.js";
import { errorStatusOf, type ErrorStatus } from "./error-status.js";

/** The details that a client reads from `grpc-status-details-bin`. */
function told(sent: ErrorStatus) {
  const [bytes] = sent.metadata.get("grpc-status-details-bin");
  const { code, message, details } = fromBinary(StatusSchema, bytes as Buffer);
  return {
    code,
    message,
    info: details.map((any) => anyUnpack(any, ErrorInfoSchema)).find((found) => found),
    badRequest: details.map((any) => anyUnpack(any, BadRequestSchema)).find((found) => found),
    retry: details.map((any) => anyUnpack(any, RetryInfoSchema)).find((found) => found),
  };
}

describe("an error as the end of a gRPC call", () => {
  it("carries the reason for programs and the fields that were wrong", () => {
    const details = [{ field: "steps[0].step_id", reason: "it is empty" }];
    const sent = errorStatusOf(new AppError("INVALID_PLAN", "The plan is not valid", { details }));
    expect(sent).toMatchObject({ code: status.INVALID_ARGUMENT, details: "The plan is not valid" });
    expect(told(sent)).toMatchObject({
      code: status.INVALID_ARGUMENT,
      message: "The plan is not valid",
      info: { reason: "INVALID_PLAN", domain: "steward" },
      badRequest: { fieldViolations: [{ field: "steps[0].step_id", description: "it is empty" }] },
      retry: undefined,
    });
  });

  it("says how long to wait where trying again can help", () => {
    const sent = errorStatusOf(
      new AppError("STORE_UNAVAILABLE", "The store is busy", { retryAfterMs: 1500 }),
    );
    expect(sent.code).toBe(status.UNAVAILABLE);
    expect(told(sent).retry?.retryDelay).toMatchObject({ seconds: 1n, nanos: 500_000_000 });
  });

  it("tells nothing of an error that was not meant for the caller", () => {
    const sent = errorStatusOf(new Error("password=hunter2"));
    expect(sent.code).toBe(status.INTERNAL);
    expect(told(sent).info?.reason).toBe("INTERNAL");
    expect(JSON.stringify([sent.details, told(sent).message])).not.toContain("hunter2");
  });

  it("tells a request too large to read by its own status", () => {
    const sent = errorStatusOf(new AppError("LIMIT_EXCEEDED", "Too large"), REQUEST_TOO_LARGE);
    expect(sent.code).toBe(status.RESOURCE_EXHAUSTED);
  });

  it("fits into the 8 KiB of trailers that clients take, whatever is wrong", () => {
    const reason = "ü".repeat(1000);
    const details = Array.from({ length: 1000 }, (_, index) => ({
      field: `steps[${String(index)}].query_template`,
      reason,
    }));
    const sent = errorStatusOf(new AppError("INVALID_PLAN", "é".repeat(5000), { details }));
    const onTheWire = Object.values(sent.metadata.toHttp2Headers()).join("").length;
    expect(onTheWire + encodeURI(sent.details).length).toBeLessThan(8 * 1024 - 200);
    expect(sent.details).toMatch(/^é+…$/);
    expect(told(sent).badRequest?.fieldViolations.at(-1)?.description).toMatch(/^and \d+ more$/);
  });

  it("can be sent even when the message is not well-formed text", () => {
    const sent = errorStatusOf(new AppError("INTERNAL", "half a \ud83d smile"));
    expect(() => encodeURI(sent.details)).not.toThrow();
  });
});
