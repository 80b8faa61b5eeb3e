/**
 * Policies: rules for access to resources.
 *
 * Glossary. **Principal**: the caller as policies see it. **Action**: the requested operation.
 * **Resource**: its target. **Context**: the circumstances. **Policy**: a rule that permits or
 * forbids. **Decision**: the combined answer of all policies to one request; without a policy that
 * permits, it is a denial.
 */
export { neverApproved } from "./action-groups.js";
export { Authorizer } from "./authorizer.js";
export { noPolicies } from "./no-policies.js";
export { OrganizationPolicySource } from "./organization-policies.js";
export { type PolicyCase, PolicyService } from "./policy-service.js";
export { answerOf, verdictOf, type Answering, type Question, type Verdict } from "./questions.js";
export type { Explained } from "./authorizer.js";
