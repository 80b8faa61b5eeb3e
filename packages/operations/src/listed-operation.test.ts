import { expect, it } from "vitest";
import * as z from "zod";
import { BY_HAND, operations } from "./index.js";
import { listedOperations } from "./listed-operation.js";
import { operation, operationTable } from "./operation.js";

it("refuses an operation that is written by hand and described too", () => {
  const submitPlan = operation({
    ...{ name: "submitPlan", action: "plans:submit", audit: "plan log" },
    ...{ summary: "Submit a plan", description: "Submits it.", tag: "Plans" },
    ...{ input: z.strictObject({}), output: z.object({}), errors: [], retry: false },
  });
  expect(() => listedOperations({ ...operations, again: operationTable({ submitPlan }) })).toThrow(
    "by-hand.ts and a file describe submitPlan",
  );
});

it("refuses a part of an operation that no file describes", () => {
  const { billing: _billing, ...others } = operations;
  expect(() => listedOperations(others)).toThrow(
    "by-hand.ts has a part of repriceUsage, which no file describes",
  );
});

it("says how each operation by hand that may change something is recorded", () => {
  const unsaid = BY_HAND.filter(
    (written) =>
      "name" in written &&
      written.action?.endsWith(":read") === false &&
      written.audit === undefined,
  );
  expect(unsaid).toEqual([]);
});
