import { describe, expect, it } from "vitest";
import { nearestName } from "./near-miss.js";

describe("the name that was meant", () => {
  const columns = ["id", "name", "email_address", "customer_id", "created_at"];

  it.each([
    ["nme", "name"],
    ["NAME", "name"],
    ["nmae", "name"],
    ["email", "email_address"],
    ["custmer_id", "customer_id"],
    ["createdat", "created_at"],
    ["idd", "id"],
  ])("is, for %s, %s", (wanted, expected) => {
    expect(nearestName(wanted, columns)).toBe(expected);
  });

  it("is nobody's when nothing comes near", () => {
    expect(nearestName("warehouse", columns)).toBeUndefined();
    expect(nearestName("name", [])).toBeUndefined();
  });
});
