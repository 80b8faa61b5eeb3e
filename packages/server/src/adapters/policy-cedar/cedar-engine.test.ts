import { isAuthorized } from "@cedar-policy/cedar-wasm/nodejs";
import { describe, expect, it } from "vitest";
import { type Action, ACTIONS } from "../../identity/index.js";
import { actionGroupsOf } from "../../policies/action-groups.js";
import type { PolicyRequest } from "../../policies/ports.js";
import { CedarEngine } from "./cedar-engine.js";
import { contextOf, entitiesOf, principalUid, resourceUid, uid } from "./entities.js";
import { cedarEngine, defaultPolicies, policySchema } from "./index.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const engine = cedarEngine();

function request(action: Action, roles: readonly string[]): PolicyRequest {
  return {
    principal: {
      ...{ kind: "agent", id: "bot", orgId: ORG, roles, permissions: [], user: "ada" },
      ...{ namedByHeaders: false, isAgent: false, tryingOut: false, onPlainLoopback: false },
    },
    action,
    actionGroups: actionGroupsOf(action),
    resource: { kind: "organization", orgId: ORG },
    context: {
      ...{ hour: 9, approved: false },
      ...(action.startsWith("memory:") ? { providerIsRemote: false } : {}),
    },
  };
}

describe("the schema of policies", () => {
  it("has every action that a caller can ask for, in its groups, and the engine takes requests for them", () => {
    for (const action of ACTIONS) {
      const asked = request(action, ["admin"]);
      const answer = isAuthorized({
        principal: principalUid(asked.principal),
        action: uid("Action", action),
        resource: resourceUid(asked.resource),
        context: contextOf(asked),
        schema: policySchema(),
        validateRequest: true,
        policies: {
          staticPolicies: asked.actionGroups
            .map((group) => `permit (principal, action in Steward::Action::"${group}", resource);`)
            .join("\n"),
        },
        // The principal; the groups of the action are the schema's here.
        entities: entitiesOf(asked).slice(0, 1),
      });
      expect({ action, answer }).toMatchObject({
        action,
        answer: {
          type: "success",
          response: {
            decision: "allow",
            diagnostics: { reason: { length: asked.actionGroups.length } },
          },
        },
      });
    }
  });
});

describe("the shipped policies", () => {
  it("fit the schema, and each has a name and a reason", () => {
    expect(engine.problemsIn(defaultPolicies())).toEqual([]);
    const policies = defaultPolicies().match(/^(?:permit|forbid) \(/gm) ?? [];
    const named = defaultPolicies().match(
      /^@id\("[a-z-]+"\)\n@reason\("[^"]+"\)\n(?:@rows_changed_max\("unlimited"\)\n)?(?:permit|forbid) \(/gm,
    );
    expect(named).toHaveLength(policies.length);
  });
});

describe("policies in Cedar", () => {
  it.each([
    ["permit (principal, action", 1, 26, "unexpected end of input"],
    [
      "// é\npermit (principal, action, resource)\nwhen { principal.rank > 3 };",
      3,
      8,
      "attribute `rank`",
    ],
    ['permit (principal, action == Steward::Action::"plans:fly", resource);', 1, 30, "plans:fly"],
    ["permit (principal == ?principal, action, resource);", 1, 1, "template"],
  ])("that are wrong are refused with line and column: %s", (text, line, column, message) => {
    const [first] = engine.problemsIn(text);
    expect(first).toEqual({ line, column, message: expect.stringContaining(message) as string });
  });

  it("say which of them decided, with their annotations, in the order of their text", () => {
    const nine = Array.from(
      { length: 11 },
      (_, n) =>
        `@id("p${String(n)}") permit (principal in Steward::Role::"r${String(n)}", action, resource);`,
    );
    const policies = engine.compile([
      nine.join("\n"),
      '@id("stop") @reason("not today") @approval("chief") forbid (principal, action == Steward::Action::"plans:cancel", resource);',
    ]);
    expect(policies.decide(request("plans:read", ["r10", "r2"]))).toEqual({
      permitted: true,
      policies: expect.arrayContaining([{ id: "p2" }, { id: "p10" }]) as object[],
    });
    expect(policies.decide(request("plans:cancel", ["r1"]))).toEqual({
      permitted: false,
      policies: [{ id: "stop", reason: "not today", approval: "chief" }],
    });
    expect(policies.decide(request("plans:read", ["other"]))).toEqual({
      permitted: false,
      policies: [],
    });
  });

  it("deny when one of them cannot be evaluated", () => {
    const policies = engine.compile([
      "permit (principal, action, resource);",
      '@id("overflow") forbid (principal, action, resource) when { context.hour * 9223372036854775807 > 3 };',
    ]);
    expect(policies.decide(request("plans:read", []))).toEqual({
      permitted: false,
      policies: [{ id: "overflow" }],
    });
  });

  it("stay themselves when more sets are compiled than the engine holds", () => {
    const small = new CedarEngine(policySchema(), 2);
    const first = small.compile(['@id("first") permit (principal, action, resource);']);
    first.decide(request("plans:read", []));
    for (let n = 0; n < 3; n += 1) {
      small.compile(["forbid (principal, action, resource);"]).decide(request("plans:read", []));
    }
    expect(first.decide(request("plans:read", [])).policies).toEqual([{ id: "first" }]);
  });
});
