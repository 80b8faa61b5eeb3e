import { describe, expect, it } from "vitest";
import { isBillingAdmin, requireBillingAdmin } from "./billing-guard.js";

describe("the billing guard (Contract §5)", () => {
  it.each([
    [["admin"], []],
    [["Admin"], []],
    [["viewer", "ADMIN"], []],
    [[], ["manage:billing"]],
    [["viewer"], ["read:plans", " manage:billing "]],
  ])("accepts roles %j with permissions %j", (roles, permissions) => {
    expect(isBillingAdmin({ roles, permissions })).toBe(true);
  });

  it.each([
    [[], []],
    [["administrator"], []],
    [["manage:billing"], ["admin"]],
    [[], ["MANAGE:BILLING", "manage:billing2", "manage"]],
  ])("refuses roles %j with permissions %j", (roles, permissions) => {
    expect(() => {
      requireBillingAdmin({ roles, permissions });
    }).toThrow(expect.objectContaining({ code: "POLICY_DENIED" }));
  });
});
