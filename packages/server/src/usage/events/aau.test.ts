import { describe, expect, it } from "vitest";
import { INTENTS } from "../../governance/index.js";
import { aauWeight } from "./aau.js";

describe("the weight of a tool call", () => {
  it("is 1 for reads, 3 for writes and 5 for what is governed", () => {
    expect(Object.fromEntries(INTENTS.map((intent) => [intent, aauWeight(intent)]))).toEqual({
      read_select: 1,
      write_insert: 3,
      write_update: 3,
      write_delete: 3,
      admin: 5,
      cross_system_transaction: 5,
    });
  });

  it("is a write's for an intent that nobody knows", () => {
    expect(aauWeight("write_merge")).toBe(3);
    expect(aauWeight("")).toBe(3);
  });
});
