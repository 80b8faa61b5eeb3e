/**
 * Access tokens for other MCP servers, as OAuth 2.1 gives them.
 *
 * Glossary. **Grant**: what an authorization server gave for one MCP server: an access token, mostly
 * with a refresh token. **Issuer**: the authorization server, by the name in its metadata.
 */
export { AccessRefused } from "./access-refused.js";
export { accessTokensFor, type AccessTokens } from "./access-tokens.js";
export { GrantFile, type Grants } from "./grant-file.js";
export { signIn } from "./sign-in.js";
