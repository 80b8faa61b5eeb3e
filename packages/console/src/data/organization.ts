import { localValue } from "./local-value.js";

/**
 * The organization that requests are sent for, where the server lets its callers choose one; empty: the
 * server's own choice.
 */
export const chosenOrganization = localValue("organization", (kept) =>
  typeof kept === "string" ? kept : "",
);

/** The role that requests are sent with, where callers choose it themselves; empty: none. */
export const chosenRole = localValue("role", (kept) => (typeof kept === "string" ? kept : ""));
