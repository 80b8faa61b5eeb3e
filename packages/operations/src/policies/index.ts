import { operationTable } from "../operation.js";
import { checkPolicies } from "./check-policies.js";
import { explainPolicies } from "./explain-policies.js";
import { getPolicies } from "./get-policies.js";
import { putPolicies } from "./put-policies.js";
import { testPolicies } from "./test-policies.js";

/** The policies of the caller's organization (Decision §16). */
export const policies = operationTable({
  getPolicies,
  putPolicies,
  checkPolicies,
  explainPolicies,
  testPolicies,
});
