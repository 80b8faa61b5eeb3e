/** What one look at the installation found. */
export interface Check {
  readonly name: string;
  /** `warn`: works, but probably not as meant. */
  readonly status: "ok" | "warn" | "fail";
  readonly found: string;
  /** What to do about it; absent when there is nothing to do. */
  readonly fix?: string;
}

/** Everything is as it should be. */
export function ok(name: string, found: string): Check {
  return { name, status: "ok", found };
}

/** It works, but is probably not what was meant. */
export function warn(name: string, found: string, fix: string): Check {
  return { name, status: "warn", found, fix };
}

/** It does not work. */
export function fail(name: string, found: string, fix: string): Check {
  return { name, status: "fail", found, fix };
}

/** The words of whatever was thrown. */
export function reasonOf(thrown: unknown): string {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  // The driver's words for a server that takes the connection and says nothing.
  return reason === "timeout expired" ? "it takes connections but does not answer" : reason;
}
