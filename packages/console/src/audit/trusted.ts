import { localValue } from "../data/local-value.js";

/** The public key of the log, which a reader pastes once. It is no secret. */
export const trustedKey = localValue("audit-key", (kept) => (typeof kept === "string" ? kept : ""));
