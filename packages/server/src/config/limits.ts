/** Defaults and bounds of settings that no other room has a limit for. */

/**
 * Default limit of requests per second of one organization: about a third of what two cores can
 * serve.
 */
export const ORG_REQUESTS_PER_SECOND: number = 2000;
/** Upper bound of the setting. */
export const ORG_REQUESTS_PER_SECOND_MAX: number = 1_000_000;
/** Default limit of concurrent ExecuteStep requests of one organization. */
export const ORG_STEPS_MAX: number = 500;
/** Upper bound of the setting. */
export const ORG_STEPS_MAX_MAX: number = 100_000;
/**
 * Default limit of concurrent event streams of one organization. Each stream reads the store once a
 * second.
 */
export const ORG_STREAMS_MAX: number = 500;
/** Upper bound of the setting. */
export const ORG_STREAMS_MAX_MAX: number = 100_000;
/** Upper bound of the setting SERVICE_SESSIONS_MAX. */
export const SESSIONS_MAX_MAX: number = 1000;
