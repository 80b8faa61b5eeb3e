/**
 * Identity: who is asking, as a credential proves it.
 *
 * Glossary. **Credential**: what a request shows to prove who sends it: an API key, a JSON Web Token, a
 * client certificate. **Principal**: who a credential belongs to: organization, person or agent, roles.
 * **Key id**: the part of an API key that names it. **Secret**: the part that proves it, of which only
 * the hash is kept. **Rotation**: a new secret for the same key id. **Action**: what a caller can ask for.
 * **Scope**: an action, or a group of them, that an API key is limited to.
 */
export { type Action, ACTIONS, groupOf, requireScope } from "./actions.js";
export type { ApiKey, KeyEnvironment } from "./api-key.js";
export { ApiKeyService, type IssuedKey, type KeyPage } from "./api-key-service.js";
export { ApiKeyVerifier } from "./api-key-verifier.js";
export { FailedAttempts } from "./failed-attempts.js";
export { noApiKeys } from "./no-api-keys.js";
export type { Principal, Verified, VerifyCertificate, VerifyCredential } from "./principal.js";
export { remembered } from "./remembered.js";
export { ROLES } from "./roles.js";
