import { describe, expect, it } from "vitest";
import { EmbeddingError } from "../../embedding/index.js";
import { AppError } from "@steward/kernel/errors.js";
import { DECEPTIVE_TEXT, deceptionIn } from "@steward/kernel/testing/deceptive-text.js";
import type { Log } from "@steward/kernel/log.js";
import { pinoLog } from "./pino-log.js";

describe("pinoLog", () => {
  it("writes one JSON line with level, time, event and fields", () => {
    const { log, lines } = capture();
    log.info({ planId: "p1", durationMs: 3 }, "step completed");
    expect(lines()).toEqual([
      expect.objectContaining({
        level: "info",
        msg: "step completed",
        planId: "p1",
        durationMs: 3,
      }),
    ]);
    expect(lines()[0]?.["time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("writes nothing below its level", () => {
    const { log, lines } = capture("warn");
    log.debug({}, "a");
    log.info({}, "b");
    log.warn({}, "c");
    expect(lines().map((line) => line["msg"])).toEqual(["c"]);
  });

  it("carries a child's fields on each of its lines", () => {
    const { log, lines } = capture();
    log.child({ requestId: "r1", authorization: "Bearer x" }).error({}, "failed");
    expect(lines()[0]).toMatchObject({ requestId: "r1", authorization: "[redacted]" });
  });

  it("masks secrets by their name, at any depth and in any case", () => {
    const { log, lines } = capture();
    const secrets = {
      Authorization: "Bearer leak-1",
      "x-proxy-secret": "leak-2",
      PAYMENT_SECRET_KEY: "leak-3",
      apiKey: "leak-4",
      databasePassword: "leak-5",
      cookie: "leak-6",
    };
    log.info({ ...secrets, request: { headers: [secrets] } }, "request");
    expect(JSON.stringify(lines())).not.toContain("leak");
  });

  it("masks passwords of URLs and payment keys inside texts", () => {
    const { log, lines } = capture();
    log.info(
      {
        detail: "postgres://ann:leak@db/sales with sk_live_leak and whsec_leak",
        url: "http://h/p",
      },
      "connect",
    );
    expect(lines()[0]).toMatchObject({
      detail: "postgres://ann:[redacted]@db/sales with sk_live_[redacted] and whsec_[redacted]",
      url: "http://h/p",
    });
  });

  it("spells out an error with its properties and causes, secrets masked", () => {
    const { log, lines } = capture();
    const cause = Object.assign(new Error("connect postgres://u:leak@h"), { password: "leak" });
    log.error({ err: new AppError("STORE_UNAVAILABLE", "The store is down", { cause }) }, "failed");
    expect(lines()[0]?.["err"]).toMatchObject({
      type: "AppError",
      code: "STORE_UNAVAILABLE",
      message: "The store is down",
      cause: { message: "connect postgres://u:[redacted]@h", password: "[redacted]" },
    });
    expect(JSON.stringify(lines())).not.toContain("leak");
  });

  it("tells where a defect came from, and of an outside failure only what it is", () => {
    const { log, lines } = capture();
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const outside = new TypeError("fetch failed", { cause: refused });
    for (const err of [
      new AppError("PAYMENT_PROVIDER_FAILED", "The payment provider failed", { cause: outside }),
      Object.assign(new Error("terminating connection"), { code: "57P01" }),
      new EmbeddingError("transport", "not reached", { cause: outside }),
    ]) {
      log.error({ err }, "failed");
    }
    expect(JSON.stringify(lines())).not.toContain("stack");
    expect(lines()[0]?.["err"]).toMatchObject({
      cause: { type: "TypeError", cause: { code: "ECONNREFUSED" } },
    });
    const wrongCall = Object.assign(new TypeError("bad"), { code: "ERR_INVALID_ARG_TYPE" });
    const defects = [new TypeError("x is undefined"), AppError.from(new Error("odd")), wrongCall];
    for (const err of defects) log.error({ err }, "failed");
    for (const line of lines().slice(3)) {
      expect(line["err"]).toMatchObject({
        stack: expect.stringContaining("pino-log.test") as unknown,
      });
    }
  });

  it("is harmless in a terminal, whatever texts of others it holds", () => {
    let written = "";
    const log = pinoLog("debug", { write: (line) => (written += line) });
    log.child({ agentId: DECEPTIVE_TEXT }).info({ name: DECEPTIVE_TEXT }, "step completed");
    expect(deceptionIn(written)).toEqual([]);
    expect(JSON.parse(written)).toMatchObject({ agentId: DECEPTIVE_TEXT, name: DECEPTIVE_TEXT });
  });

  it("takes a long text in stride", () => {
    const { log, lines } = capture();
    log.info({ text: "a".repeat(1_000_000) }, "long");
    expect(lines()).toHaveLength(1);
  });

  it("cuts what refers to itself instead of failing", () => {
    const { log, lines } = capture();
    const loop: Record<string, unknown> = { size: 10n, bytes: new Uint8Array(3) };
    loop["self"] = loop;
    log.info({ loop }, "odd");
    expect(lines()[0]?.["loop"]).toMatchObject({ size: "10", bytes: "[3 bytes]" });
  });
});

function capture(level: "debug" | "warn" = "debug"): {
  readonly log: Log;
  readonly lines: () => Record<string, unknown>[];
} {
  const written: string[] = [];
  const log = pinoLog(level, { write: (line) => written.push(line) });
  return {
    log,
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
