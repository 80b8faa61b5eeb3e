import { expect, it } from "vitest";
import { beginCommands } from "./transaction.js";

it("ends a wait for a lock by one limit only: the statement's, if that is not the longer one", () => {
  const orgId = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
  const lockLimit = (timeoutMs: number, lockMs: number) =>
    /lock_timeout = (\d+)/.exec(
      beginCommands("READ WRITE", { orgId, timeoutMs, lockMs }).join("\n"),
    )?.[1];
  expect([40, 1000, 1001].map((timeoutMs) => lockLimit(timeoutMs, 1000))).toEqual([
    ...["0", "0", "1000"],
  ]);
});
