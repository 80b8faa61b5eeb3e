import {
  type PolicyJson,
  policySetTextToParts,
  policyToJson,
} from "@cedar-policy/cedar-wasm/nodejs";
import { assert } from "@steward/kernel/assert.js";

/** One policy of a text. */
export interface ReadPolicy {
  readonly text: string;
  /** The policy's scope and conditions as JSON, in which no name contains escapes. */
  readonly said: string;
  readonly effect: "permit" | "forbid";
  /** The actions and action groups in its scope; absent: every action. */
  readonly actions?: readonly string[];
  /** Whether its scope is every resource. */
  readonly isAboutAll: boolean;
  readonly annotations: Readonly<Record<string, string>>;
  /** The roles that it names, those of its approvers included. */
  readonly roles: readonly string[];
  /** The tables and columns that it names. */
  readonly tables: readonly string[];
  readonly columns: readonly string[];
}

/** Parses the policies of a validated text, in order. */
export function readPolicies(text: string): readonly ReadPolicy[] {
  const parts = policySetTextToParts(text);
  assert(parts.type === "success", "policies that were checked can be read");
  return inOrder(parts.policies).map((policy) => {
    const answer = policyToJson(policy);
    assert(answer.type === "success", "a policy that was checked can be read");
    const { effect, annotations = {}, ...said } = answer.json;
    const { approval } = annotations;
    return {
      ...{ text: policy, said: JSON.stringify(said), effect, annotations },
      ...actionsOf(said.action),
      isAboutAll: said.resource.op === "All",
      roles: [...idsIn(said, "Role"), ...(approval === undefined ? [] : [approval])],
      tables: idsIn(said, "Table"),
      columns: idsIn(said, "Column"),
    };
  });
}

/** The entities of a type in a policy's JSON, which writes an entity as `{"type": …, "id": …}` everywhere. */
function idsIn(json: unknown, type: string): readonly string[] {
  if (typeof json !== "object" || json === null) return [];
  if ("type" in json && "id" in json && json.type === `Steward::${type}`) return [String(json.id)];
  return Object.values(json).flatMap((member) => idsIn(member, type));
}

function actionsOf(action: PolicyJson["action"]): Pick<ReadPolicy, "actions"> {
  if (action.op === "All" || "slot" in action) return {};
  const entities = "entities" in action ? action.entities : [action.entity];
  return {
    actions: entities.map((entity) => ("__entity" in entity ? entity.__entity : entity).id),
  };
}

/**
 * Cedar sorts policies by name. They are named `policy0`, `policy1`, … `policy10` in the text's
 * order.
 */
function inOrder(sorted: readonly string[]): readonly string[] {
  const names = sorted.map((_policy, index) => `policy${String(index)}`).sort();
  const placed = sorted.map((policy, index) => ({
    policy,
    place: Number(names[index]?.slice("policy".length)),
  }));
  return placed.sort((a, b) => a.place - b.place).map(({ policy }) => policy);
}
