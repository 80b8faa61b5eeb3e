import { expect, it } from "vitest";
import * as z from "zod";
import { operations, type Operation } from "./index.js";
import { operation } from "./operation.js";

/*
 * An approval covers what the names in an operation's parameters stand for. Here each text parameter of an operation that
 * does more than read is either resolved, or stands in a list with the reason why an approval need not resolve it. A new
 * parameter fails until somebody has thought about it.
 */

/** What the caller writes itself: approvers read it as a whole. */
const CONTENT = [
  ...["acceptSchemaDrift.message", "addMemoryEntry.content", "checkPlan.description"],
  ...["checkPlan.name", "createApiKey.expires_at", "createApiKey.name", "mergeState.message"],
  ...["placeHold.reason", "putPolicies.text", "revertState.message", "reviseStep.intent"],
  ...["reviseStep.name", "reviseStep.query_template", "setBudget.action", "setBudget.limit"],
  ...["setBudget.period", "setBudget.scope", "setBudget.unit", "setPrice.amount_usd"],
  ...["setPrice.from", "setPrice.scope", "setPrice.subject", "setPrice.until"],
  ...["getOrganizationUsage.cursor", "getOrganizationUsage.from", "getOrganizationUsage.to"],
];

/** Ids and digests under which there is never anything else. A changed budget gets another id. */
const FIXED = [
  ...["acceptSchemaDrift.expected_root", "applyMigration.digest", "deleteMemoryEntry.entry_id"],
  ...["detachPaymentMethod.pm_id", "liftHold.hold_id", "mergeState.expected"],
  ...["moveStateRef.expected", "removeBudget.budget_id", "resumeMigration.digest"],
  ...["retryWebhookDeliveries.message_id", "revertMigration.digest", "revertState.expected"],
  ...["revokeApiKey.key_id", "rotateApiKey.key_id", "undoMigration.digest"],
];

/** Persons, agents, sessions and organizations themselves: whoever approves means them, and not a version of them. */
const THEMSELVES = [
  ...["addMemoryEntry.session_id", "checkPlan.session_id", "createApiKey.agent_id"],
  ...["createApiKey.user_id", "createSetupIntent.customer_id", "placeHold.session_id"],
  ...["rebindPaymentCustomer.customer_id", "rebindPaymentCustomer.org_id", "removeBudget.org_id"],
  ...["repriceUsage.org_id", "setBudget.org_id", "setPrice.org_id"],
];

/** What there is at the run is meant: all entries of a session, all data of a person, a plan that is to end. */
const PRESENT = [
  ...["beginErasure.subject", "cancelPlan.plan_id", "deleteMemorySession.session_id"],
  ...["estimateErasure.subject", "finishPlan.plan_id", "repriceUsage.from", "repriceUsage.until"],
  // A retried plan runs nothing by itself: each of its steps is executed, and approved, on its own.
  "retryPlan.plan_id",
  // They only read, or try something on a scratch database.
  ...["getStep.plan_id", "getStep.step_id", "verifyMigration.migration_id"],
];

/** The settings of the operator define it, and no caller does. */
const SETTINGS = [
  ...["retryWebhookDeliveries.target", "reviseStep.data_source", "reviseStep.tool_name"],
  "testWebhook.target",
];

/** Its operation compares the ref with the expected commit. */
const COMPARED = ["moveStateRef.name"];

/** A part of the name that is resolved: a step of the plan, or the plan of the step. */
const PARTS = ["forkPlan.step_id", "reviseStep.plan_id"];

it("every text parameter of an operation that changes something is resolved, or need not be", () => {
  const all = Object.values(operations).flatMap((table): Operation[] => Object.values(table));
  const left = all
    .filter(({ action }) => !action.endsWith(":read") && !action.startsWith("approvals:"))
    .flatMap(({ name, input, resolves = {} }) =>
      Object.entries(input.shape).flatMap(([member, schema]) =>
        isText(schema) && !(member in resolves) ? [`${name}.${member}`] : [],
      ),
    );
  const explained = [CONTENT, FIXED, THEMSELVES, PRESENT, SETTINGS, COMPARED, PARTS].flat();
  expect(left.toSorted()).toEqual(explained.toSorted());
});

it("refuses an operation that resolves a parameter which its input lacks", () => {
  const make = (member: string, idIn: string) =>
    operation({
      ...{ name: "moveThing", action: "things:read", summary: "s", description: "d", tag: "t" },
      ...{ input: z.strictObject({ from: z.string() }), output: z.object({}) },
      resolves: { [member]: { names: "commit", idIn } },
    });
  expect(() => make("from", "from")).not.toThrow();
  expect(() => make("of", "from")).toThrow("moveThing has no of in its input");
  expect(() => make("from", "expected")).toThrow("moveThing has no expected in its input");
});

function isText(schema: z.ZodType): boolean {
  const { def } = schema;
  if ("innerType" in def) return isText(def.innerType as z.ZodType);
  return def.type === "string";
}
