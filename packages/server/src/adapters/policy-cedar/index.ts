import "./wasm-calls.js";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CedarEngine } from "./cedar-engine.js";

export { CheckThread } from "./check-thread.js";

/** An engine whose policies are checked against the published schema. */
export function cedarEngine(): CedarEngine {
  return new CedarEngine(policySchema());
}

/** The schema, as text. */
export function policySchema(): string {
  return policyFile("steward.cedarschema");
}

/** The shipped policies, as text. */
export function defaultPolicies(): string {
  return policyFile("default.cedar");
}

function policyFile(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../policies/${name}`, import.meta.url)), "utf8");
}
