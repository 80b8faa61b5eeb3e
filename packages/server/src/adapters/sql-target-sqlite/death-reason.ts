import { StatementError } from "../../plans/ports.js";
import { type ChildSettings, LIMIT_SIGNALS } from "./protocol.js";

/** The reason why a child ended, if its statement may have caused it. */
export type DeathReason = "memory" | "temporary" | "crash" | "elsewhere";

/** Signals from outside: an operator, the system's lack of memory, the end of the service. */
const FOREIGN_SIGNALS: ReadonlySet<string> = new Set(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"]);

/** @param signal that ended the process; null when it exited without one. */
export function deathReason(exitCode: number | null, signal: string | null): DeathReason {
  if (signal === LIMIT_SIGNALS.memory) return "memory";
  if (signal === LIMIT_SIGNALS.temporary) return "temporary";
  if (signal !== null) return FOREIGN_SIGNALS.has(signal) ? "elsewhere" : "crash";
  return exitCode === null || exitCode === 0 ? "elsewhere" : "crash";
}

/**
 * The error for the statement's caller. A statement that crashes its process will do so again, so
 * it must not be retried automatically. `undefined` when the statement did not cause the end.
 */
export function deathError(
  reason: DeathReason,
  {
    memoryBytesMax,
    temporaryBytesMax,
  }: Pick<ChildSettings, "memoryBytesMax" | "temporaryBytesMax">,
): StatementError | undefined {
  switch (reason) {
    case "elsewhere":
      return undefined;
    case "crash":
      return undone("The statement crashed the process that ran it: simplify it");
    case "memory":
      return undone(
        `The statement needed more than ${mebibytes(memoryBytesMax)} of memory (SQL_MEMORY_BYTES_MAX): ` +
          "read fewer rows and shorter values, or aggregate less at once",
      );
    case "temporary":
      return undone(
        `The statement needed more than ${mebibytes(temporaryBytesMax)} of temporary space ` +
          "(SQL_TEMPORARY_BYTES_MAX): sort and group fewer rows, by a WHERE or an index",
      );
  }
}

function undone(what: string): StatementError {
  return new StatementError("statement", `${what}. Nothing was changed`);
}

function mebibytes(bytes: number): string {
  return `${bytes / (1024 * 1024)} MiB`;
}
