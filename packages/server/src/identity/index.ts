/**
 * Identity: who is asking, as a credential proves it.
 *
 * Glossary. **Credential**: what a request shows to prove who sends it: an API key, a JSON Web Token, a
 * client certificate. **Principal**: who a credential belongs to: organization, person or agent, roles.
 */
export { remembered } from "./remembered.js";
export type {
  ClientCertificate,
  Principal,
  Verified,
  VerifyCertificate,
  VerifyCredential,
} from "./principal.js";
