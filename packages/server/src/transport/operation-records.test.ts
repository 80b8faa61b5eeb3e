import { expect, it } from "vitest";
import { EVENT_KINDS } from "../audit-export/ocsf/event-kinds.js";
import { recordOf, RECORDED_OPERATIONS } from "./operation-records.js";

it("have kinds that the export of the audit log knows, so that each has an event of its own class", () => {
  const kinds = RECORDED_OPERATIONS.map((operation) => recordOf(operation)?.kind ?? operation);
  expect(kinds.length).toBeGreaterThan(30);
  expect(kinds.filter((kind) => EVENT_KINDS[kind] === undefined)).toEqual([]);
});
