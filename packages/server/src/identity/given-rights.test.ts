import { describe, expect, it } from "vitest";
import { ADMIN, NOBODY } from "@steward/kernel/testing/nobody.js";
import { requireMayGive } from "./given-rights.js";

const NOTHING = { roles: [], permissions: [], scopes: [] };
const KEEPER = { ...NOBODY, roles: ["agent"], permissions: ["manage:keys", "manage:schema"] };
const OPERATOR = { ...NOBODY, roles: ["operator"] };
const LIMITED = { ...ADMIN, scopes: ["plans", "keys:write"] };

describe("the rights of a key", () => {
  it.each([
    ["an operator any", OPERATOR, { roles: ["operator", "admin"], permissions: ["x"] }],
    ["an admin all but the operator's", ADMIN, { roles: ["admin", "agent"], permissions: ["x"] }],
    ["others what they have", KEEPER, { roles: ["agent"], permissions: ["manage:schema"] }],
    ["a limited key within its scopes", LIMITED, { scopes: ["plans:read", "keys:write"] }],
    ["a limited key a whole group", LIMITED, { scopes: ["plans"] }],
  ])("are given by %s", (_who, caller, rights) => {
    expect(() => requireMayGive(caller, { ...NOTHING, ...rights })).not.toThrow();
  });

  it.each([
    ["an admin the operator's", ADMIN, { roles: ["Operator"] }, "the role Operator"],
    ["a keeper of keys an admin's", KEEPER, { roles: ["admin"] }, "the role admin"],
    [
      "a keeper of keys the billing",
      KEEPER,
      { permissions: ["manage:billing"] },
      "the permission manage:billing",
    ],
    ["a limited key another scope", LIMITED, { scopes: ["memory:read"] }, "the scope memory:read"],
    [
      "a limited key a group it has a part of",
      LIMITED,
      { scopes: ["keys"] },
      "the scope keys:read",
    ],
    ["a limited key no limits at all", LIMITED, { scopes: [] }, "the scope memory:read"],
  ])("are not given by %s", (_who, caller, rights, named) => {
    expect(() => requireMayGive(caller, { ...NOTHING, ...rights })).toThrow(
      `you do not have ${named}`,
    );
  });
});
