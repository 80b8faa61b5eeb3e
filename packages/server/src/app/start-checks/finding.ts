import { AppError } from "@steward/kernel/errors.js";

/** The result of one check of what a server needs. */
export interface Finding {
  /** Of the check, such as `database` or `data source shop`. */
  readonly name: string;
  /** `warn`: it works, but probably not as intended. */
  readonly status: "ok" | "warn" | "fail";
  readonly found: string;
  /** What to do about it; absent when nothing is to be done. */
  readonly fix?: string;
}

/** A passed check. */
export function ok(name: string, found: string): Finding {
  return { name, status: "ok", found };
}

/** A check that found a likely mistake. */
export function warn(name: string, found: string, fix: string): Finding {
  return { name, status: "warn", found, fix };
}

/** A failed check. */
export function fail(name: string, found: string, fix: string): Finding {
  return { name, status: "fail", found, fix };
}

/**
 * The words of whoever failed: the server's, the system's or the library's. An error of this service
 * stands for its cause, except where its own message says more than the cause.
 */
export function reasonOf(thrown: unknown): string {
  const error = thrown instanceof AppError && thrown.cause instanceof Error ? thrown.cause : thrown;
  // `localhost` has several addresses, and each attempt has its own error.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  if (error instanceof Error && error.message === "fetch failed") return reasonOf(error.cause);
  const reason = error instanceof Error ? error.message : String(error);
  // The driver's message when a server accepts the connection and does not respond.
  return reason === "timeout expired" ? "it accepts connections but does not answer" : reason;
}
