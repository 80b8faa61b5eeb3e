/** Limits of policies (Decision §16). */

/**
 * Entries in the cache of policy decisions, and in the cache of statement grants. An entry takes
 * about a kilobyte.
 */
export const POLICY_DECISIONS_MAX: number = 10_000;
/** How long an organization's policies are cached, in ms. */
export const POLICIES_BELIEVED_MS = 500;
/** Bytes of an organization's policies. Every request of the organization evaluates all of them. */
export const POLICY_TEXT_BYTES_MAX: number = 16 * 1024;
/** Stored versions of an organization's policies. */
export const POLICY_VERSIONS_KEPT = 20;
/** Time limit for checking a policy text, in ms. Each policy takes about 15 ms. */
export const POLICY_CHECK_MS_MAX = 20_000;
/** Policy texts that are checked concurrently, each in a worker thread. */
export const POLICY_CHECKS_MAX = 2;
/**
 * Stack of the thread that checks policies, in MiB. It is smaller than the server's stack, so that
 * a policy which passes the check can be evaluated by the server.
 */
export const POLICY_CHECK_STACK_MEBIBYTES = 0.5;
/**
 * Compiled policy sets in the engine's cache, one for each organization with policies of its own.
 */
export const COMPILED_POLICY_SETS_MAX: number = 256;
/** Persons that one policy can demand the approval of (`@approvals_min`). */
export const APPROVERS_MIN_MAX: number = 10;
/** The longest time for which an approval may stand for later statements (`@approval_standing`), in ms. */
export const STANDING_MS_MAX: number = 30 * 86_400_000;
