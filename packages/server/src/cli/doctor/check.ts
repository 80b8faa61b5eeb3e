/** Result of one check of the installation. */
export interface Check {
  readonly name: string;
  /** `warn`: it works, but probably not as intended. */
  readonly status: "ok" | "warn" | "fail";
  readonly found: string;
  /** What to do about it; absent when nothing is to be done. */
  readonly fix?: string;
}

/** A passed check. */
export function ok(name: string, found: string): Check {
  return { name, status: "ok", found };
}

/** A check that found a likely mistake. */
export function warn(name: string, found: string, fix: string): Check {
  return { name, status: "warn", found, fix };
}

/** A failed check. */
export function fail(name: string, found: string, fix: string): Check {
  return { name, status: "fail", found, fix };
}

/** The message of any thrown value. */
export function reasonOf(thrown: unknown): string {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  // The driver's message when a server accepts the connection and does not respond.
  return reason === "timeout expired" ? "it accepts connections but does not answer" : reason;
}
