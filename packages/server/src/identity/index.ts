/**
 * Identity: authentication of callers.
 *
 * Glossary. **Credential**: the proof of a caller's identity in a request: an API key, a JSON Web
 * Token, a client certificate. **Principal**: the owner of a credential: organization, user or
 * agent, roles. **Key id**: the public part of an API key. **Secret**: its private part, of which
 * only the hash is stored. **Rotation**: a new secret for the same key id. **Action**: something
 * that a caller can ask for. **Scope**: an action, or a group of them, to which an API key is
 * limited. **Browser session**: the credential of a person who signed in to the console; it is
 * something else than the session of an agent.
 */
export { type Action, ACTIONS, groupOf, requireScope, scopesCover } from "./actions.js";
export { type ApiKey, keyClaim } from "./api-key.js";
export { ApiKeyService, type IssuedKey, type KnownRoles } from "./api-key-service.js";
export { ApiKeyVerifier } from "./api-key-verifier.js";
export { BrowserSessions, type StartedSession } from "./browser-sessions.js";
export { networkOf } from "./client-network.js";
export { FailedAttempts } from "./failed-attempts.js";
export { noApiKeys } from "./no-api-keys.js";
export { noBrowserSessions } from "./no-browser-sessions.js";
export type { Principal, Verified, VerifyCertificate, VerifyCredential } from "./principal.js";
export { cachedVerification } from "./cached-verification.js";
export { ROLES } from "./roles.js";
