/**
 * Policies: who may do what to which resource.
 *
 * Glossary. **Principal**: the caller as policies see it. **Action**: what is asked for. **Resource**: what it is
 * done to. **Context**: the circumstances. **Policy**: a rule that permits or forbids. **Decision**: what all the
 * policies together say of one request; without a policy that permits, denied.
 */
export { Authorizer } from "./authorizer.js";
export { noPolicies } from "./no-policies.js";
export { OrganizationPolicySource } from "./organization-policies.js";
export { type PolicyCase, PolicyService } from "./policy-service.js";
export { type Question } from "./questions.js";
export type { Explained } from "./authorizer.js";
