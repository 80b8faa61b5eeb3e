import { expect, it } from "vitest";
import type { OutputSource } from "../../kernel/tool-call.js";
import { sourcesIn, sourcesJson } from "./recorded-caller.js";

it("the sources of an entry are stored in their order, equal ones once", () => {
  const read: OutputSource = { dataSource: "default", intent: "read_select", touched: undefined };
  const orders: OutputSource = {
    ...read,
    kinds: ["read_select"],
    touched: { tables: [{ name: "orders", accesses: { read: ["id"] } }], functions: [] },
  };
  const stored = sourcesJson([orders, read, { ...read }, { ...orders }]);
  expect(sourcesIn(stored ?? undefined)).toEqual([orders, read]);
  expect(sourcesIn(sourcesJson([]) ?? undefined)).toEqual([]);
  expect(sourcesJson(undefined)).toBeNull();
});
