import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "@steward/kernel/canonical-json.js";
import type { TouchedData } from "../governance/index.js";
import type { ApprovalParty, ApprovedMigration } from "./approval.js";

/** Everything that an approval of one step is bound to (Decision §16). */
export interface ApprovedContent {
  /** SQL with parameters, or the arguments of a tool. */
  readonly statement: string;
  /** The parameters' values, whole. */
  readonly binds: readonly JsonValue[];
  readonly dataSource: string;
  readonly intent: string;
  readonly planId: string;
  readonly stepId: string;
  readonly revision: number;
  readonly policyVersion: string;
  /** Where policies depend on the touched data: those that the data source reported. */
  readonly touched?: TouchedData | undefined;
  readonly migration?: ApprovedMigration | undefined;
}

/** SHA-256, in hexadecimal, of the canonical JSON of what is approved. */
export function approvalDigest(content: ApprovedContent): string {
  const { statement, binds, dataSource, intent, planId, stepId, revision } = content;
  const { policyVersion, touched, migration } = content;
  const json = canonicalJson({
    ...{ statement, binds, intent, revision },
    data_source: dataSource,
    plan: planId,
    step: stepId,
    policy_version: policyVersion,
    ...(touched === undefined ? {} : { touched: touchedJson(touched) }),
    ...(migration === undefined ? {} : { migration: migration.digest }),
  });
  return createHash("sha256").update(json).digest("hex");
}

/** Everything that the approval of an operation is bound to. */
export interface ApprovedOperation {
  /** The operation's id in REST, or the tool's name over MCP. */
  readonly operation: string;
  readonly request: JsonValue;
  /** The person who requested it. */
  readonly user: string;
  readonly agentId: string | undefined;
  /** The session that the request names beside its parameters; empty: none. */
  readonly sessionId: string;
  readonly policyVersion: string;
  /** What the names in the request stand for, by parameter; absent: it names nothing that can move. */
  readonly resolved?: Readonly<Record<string, string | null>> | undefined;
}

/** SHA-256, in hexadecimal, of the canonical JSON of an operation and who wants it. */
export function operationDigest(approved: ApprovedOperation): string {
  const { operation, request, user, agentId = null, sessionId, policyVersion, resolved } = approved;
  const json = canonicalJson({
    ...{ operation, request, session: sessionId, policy_version: policyVersion },
    requester: { user, agent: agentId },
    ...(resolved === undefined ? {} : { resolved }),
  });
  return createHash("sha256").update(json).digest("hex");
}

/** What later statements must have in common with an approved one for its approval to stand for them. */
export interface StandingContent extends Pick<
  ApprovedContent,
  "dataSource" | "intent" | "policyVersion" | "touched"
> {
  /** The statement without its values. */
  readonly shape: string;
  readonly toolName: string;
  readonly requester: ApprovalParty;
  /** Those who wrote the statement, with the requester or without. */
  readonly writers: readonly ApprovalParty[];
  /** Rows that the statement may change at most. */
  readonly rowsChangedMax?: number | undefined;
}

/** SHA-256, in hexadecimal, of the canonical JSON of a statement's shape and surroundings. */
export function standingDigest(content: StandingContent): string {
  const { shape, toolName, dataSource, intent, requester, policyVersion } = content;
  const { writers, touched, rowsChangedMax } = content;
  const json = canonicalJson({
    ...{ shape, intent, tool: toolName, data_source: dataSource, policy_version: policyVersion },
    requester: partyJson(requester),
    writers: writers.map(partyJson),
    ...(touched === undefined ? {} : { touched: touchedJson(touched) }),
    ...(rowsChangedMax === undefined ? {} : { rows_changed_max: rowsChangedMax }),
  });
  return createHash("sha256").update(json).digest("hex");
}

function partyJson(party: ApprovalParty): JsonValue {
  const { kind, userId, agentId, keyId } = party;
  return { kind, user: userId ?? null, agent: agentId ?? null, key: keyId ?? null };
}

/** Everything that the approval of a whole plan is bound to. */
export interface ApprovedPlan {
  readonly planId: string;
  /** The plan's revision, so that every change of its steps makes another digest. */
  readonly revision: number;
  readonly policyVersion: string;
  readonly steps: readonly (Pick<
    ApprovedContent,
    "stepId" | "statement" | "dataSource" | "intent"
  > & {
    readonly dependsOn: readonly string[];
    /** The digest that the approval covers of the step; absent: it does not cover it. */
    readonly covered?: string | undefined;
  })[];
}

/** SHA-256, in hexadecimal, of the canonical JSON of a plan that is approved as a whole. */
export function wholePlanDigest({ planId, revision, policyVersion, steps }: ApprovedPlan): string {
  const json = canonicalJson({
    ...{ plan: planId, revision, policy_version: policyVersion },
    steps: steps.map(({ stepId, statement, dataSource, intent, dependsOn, covered = null }) => ({
      ...{ step: stepId, statement, intent, covered },
      data_source: dataSource,
      depends_on: [...dependsOn],
    })),
  });
  return createHash("sha256").update(json).digest("hex");
}

/** The touched data without order; the columns that are not used are left out. */
function touchedJson({ tables, functions, definitions }: TouchedData): JsonValue {
  const used = tables.map(({ name, accesses }) => ({
    name,
    accesses: Object.fromEntries(
      Object.entries(accesses).map(([access, columns]) => [access, [...columns].sort()]),
    ),
  }));
  used.sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    ...{ tables: used, functions: [...functions].sort() },
    ...(definitions === undefined ? {} : { definitions }),
  };
}
