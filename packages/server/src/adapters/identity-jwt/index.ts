/** Authentication by JSON Web Tokens (RFC 7519) of an OpenID provider. */
export { jwtVerifier, tokenClaim } from "./jwt-verifier.js";
export { CodeFlow } from "./code-flow.js";
