/** Limits of credentials. */

/** Entries in the cache of verified credentials, for each kind of credential. */
export const VERIFIED_CREDENTIALS_MAX: number = 10_000;
/**
 * Invalid credentials from one address, or for one owner, within {@link FAILED_ATTEMPTS_WINDOW_MS}.
 * Further invalid ones are told to wait.
 */
export const FAILED_ATTEMPTS_MAX: number = 20;
/** Time in which wrong credentials of one address or owner are counted together, in ms. */
export const FAILED_ATTEMPTS_WINDOW_MS: number = 60_000;
/** Addresses and owners whose invalid credentials are counted at a time. */
export const FAILED_ATTEMPTS_COUNTED_MAX: number = 10_000;
/** Credentials, not seen before, that are looked up in the store at a time. */
export const CREDENTIAL_LOOKUPS_MAX: number = 8;
/** Credentials from one address that wait to be looked up. */
export const CREDENTIAL_LOOKUPS_WAITING_MAX: number = 1_000;
/** How long a credential waits to be looked up, in ms. */
export const CREDENTIAL_LOOKUP_WAIT_MS: number = 5_000;
/**
 * How long a server caches an API key before it reads the store again, in ms. Together with the
 * time of that read, a revocation takes effect within a second.
 */
export const API_KEY_TRUST_MS: number = 500;
/** Interval at which the times of the API keys' last use are written to the store, in ms. */
export const API_KEY_USES_FLUSH_MS: number = 60_000;
/** Longest time that a rotated key's old secret stays valid, in ms: 30 days. */
export const API_KEY_OVERLAP_MS_MAX: number = 30 * 24 * 60 * 60_000;
/** Roles, permissions or scopes of one API key. */
export const API_KEY_NAMES_MAX: number = 64;
/** API keys on one page of a listing. */
export const API_KEYS_PAGE_MAX: number = 200;
/** Default page size of a listing of API keys. */
export const API_KEYS_PAGE_DEFAULT: number = 50;
/** How long an unused session of a browser lasts, in ms: 2 hours. */
export const SESSION_IDLE_MS: number = 2 * 60 * 60_000;
/** How long a session of a browser lasts at most, in ms: 12 hours, a working day. */
export const SESSION_MS_MAX: number = 12 * 60 * 60_000;
/** Shortest interval at which the last use of a session is written to the store, in ms. */
export const SESSION_USE_WRITE_MS: number = 60_000;
/** Sessions of one key or person; a further sign-in ends the oldest one. */
export const OWNER_SESSIONS_MAX: number = 20;
/** How long a sign-in at an OpenID provider may take, in ms: 10 minutes. */
export const OPENID_SIGN_IN_MS_MAX: number = 10 * 60_000;
