import { DatabaseError } from "pg";
import { expect, it } from "vitest";
import { toStatementError } from "./failure.js";
import { FOREIGN_MESSAGE } from "./testing/foreign-messages.js";

it("tells a time limit from another session's cancel request by the time that is left, in any language", () => {
  const error = Object.assign(new DatabaseError(FOREIGN_MESSAGE, 0, "error"), { code: "57014" });
  const reasonFor = (hasTimeLeft: boolean): string =>
    toStatementError(error, { binds: [], hints: [], hasTimeLeft }).reason;
  expect(reasonFor(false)).toBe("timeout");
  expect(reasonFor(true)).toBe("rolled_back");
});
