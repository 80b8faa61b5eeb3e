import "./wasm-calls.js";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CedarEngine } from "./cedar-engine.js";

export { CheckThread } from "./check-thread.js";

/** Creates an engine that validates policies against the published schema. */
export function cedarEngine(): CedarEngine {
  return new CedarEngine(policySchema());
}

export function policySchema(): string {
  return policyFile("steward.cedarschema");
}

export function defaultPolicies(): string {
  return policyFile("default.cedar");
}

/** For organizations that have no policies of their own yet. */
export function firstPolicies(): string {
  return policyFile("first.cedar");
}

function policyFile(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../policies/${name}`, import.meta.url)), "utf8");
}
