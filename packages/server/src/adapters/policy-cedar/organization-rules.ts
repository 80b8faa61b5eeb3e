import { ROLE_RULE, roleName } from "@steward/kernel/role-name.js";
import { durationMs } from "@steward/kernel/duration.js";
import { APPROVERS_MIN_MAX, STANDING_MS_MAX } from "../../policies/limits.js";
import { neverApproved } from "../../policies/index.js";
import type { PolicyProblem } from "../../policies/ports.js";
import { readPolicies, type ReadPolicy } from "./read-policies.js";

/**
 * Rules for an organization's policies beyond syntax and schema: they may only forbid, and their
 * annotations must be known. The text has been validated already.
 */
export function ruleProblemsIn(text: string): readonly PolicyProblem[] {
  const policies = readPolicies(text);
  const ids = policies.map(({ annotations }) => annotations["id"]);
  return policies.flatMap((policy, index) => {
    const messages = [
      ...ruleViolations(policy),
      ...(ids.indexOf(policy.annotations["id"]) < index ? ["another policy has the same @id"] : []),
    ];
    const place = placeOf(text, policy.text);
    return messages.map((message) => ({ message, ...place }));
  });
}

function* ruleViolations(policy: ReadPolicy): Generator<string, void> {
  const { effect, annotations, text } = policy;
  if (effect !== "forbid") {
    yield "an organization's own policies can only forbid; the shipped policies decide what is permitted";
  }
  if (!ID.test(annotations["id"] ?? "")) {
    yield '@id is missing: name the policy, as in @id("no-salaries"), with letters, digits, _ and -';
  }
  const rows = annotations["rows_changed_max"];
  if (rows === "unlimited") {
    if (annotations["approval"] === undefined) {
      yield '@rows_changed_max("unlimited") needs @approval: it lets persons approve changes of rows that the database does not count, such as TRUNCATE';
    }
  } else if (rows !== undefined && !/^[1-9]\d{0,8}$/.test(rows)) {
    yield '@rows_changed_max must be a whole number from 1, or "unlimited"';
  }
  if (rows !== undefined && rows !== "unlimited" && !text.includes("rowsChangedMax")) {
    yield "@rows_changed_max needs a condition such as context.rowsChangedMax > 100";
  }
  yield* approvalViolations(policy);
  for (const [, quoted = ""] of text.matchAll(ROLE_LITERAL)) {
    const name = roleName(quoted);
    if (name === quoted) continue;
    yield name === undefined
      ? `Role::"${quoted}" matches no role: the name of a role ${ROLE_RULE}`
      : `Role::"${quoted}" matches no role: roles are compared in lower case, so write Role::"${name}"`;
  }
}

/** What is wrong with the annotations about approvals. */
function* approvalViolations({
  annotations,
  text,
  actions,
  isAboutAll,
}: ReadPolicy): Generator<string, void> {
  const { approval, approvals_min: min, approval_plan: plan } = annotations;
  const standing = annotations["approval_standing"];
  for (const name of Object.keys(annotations)) {
    // A misspelt annotation would silently demand less than its author meant.
    if (name.startsWith("approv") && !APPROVAL_ANNOTATIONS.has(name)) {
      yield `@${name} is not known: approvals are demanded with @approval, @approvals_min, @approval_plan and @approval_standing`;
    }
  }
  if (approval === undefined) {
    for (const name of APPROVAL_ANNOTATIONS) {
      if (annotations[name] === undefined) continue;
      yield `@${name} needs @approval, which names the role of the approvers`;
    }
    return;
  }
  // A policy about one table or branch is about no action that has no such resource.
  const refused = actions === undefined && !isAboutAll ? [] : neverApproved(actions);
  if (refused.length > 0) {
    yield `@approval: nobody can approve ${refused.join(", ")}, so the policy would forbid them for good. Name the actions that wait for a person, such as Steward::Action::"writes", "policies:write" or "keys:write": every kind of statement and every other action can be approved; or forbid these without @approval`;
  }
  if (roleName(approval) !== approval) {
    yield `@approval("${approval}") names no role: the name of a role ${ROLE_RULE}, and is written in lower case`;
  }
  if (!/\bcontext\s*\.\s*approved\b/.test(text)) {
    yield "@approval needs the condition `unless { context.approved }`: without it, an approval would permit nothing";
  }
  if (min !== undefined && !(Number(min) <= APPROVERS_MIN_MAX && /^[1-9]\d?$/.test(min))) {
    yield `@approvals_min must be a whole number from 1 to ${String(APPROVERS_MIN_MAX)}`;
  }
  if (plan !== undefined && plan !== "known" && plan !== "derived") {
    yield '@approval_plan must be "known" (statements whose values are known) or "derived" (also those whose values come from earlier steps)';
  }
  if (standing !== undefined && !((durationMs(standing) ?? Infinity) <= STANDING_MS_MAX)) {
    yield '@approval_standing must be a number of minutes, hours or days, at most 30 days, as in "30m", "24h" or "7d"';
  }
}

const APPROVAL_ANNOTATIONS: ReadonlySet<string> = new Set([
  ...["approval", "approvals_min", "approval_plan", "approval_standing"],
]);

/**
 * A role literal in a policy. Roles are checked because a misspelt one would silently forbid
 * nothing.
 */
const ROLE_LITERAL = /\bRole\s*::\s*"((?:[^"\\]|\\.)*)"/g;

const ID = /^[A-Za-z0-9_-]{1,64}$/;

function placeOf(text: string, policy: string): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, Math.max(0, text.indexOf(policy))).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
