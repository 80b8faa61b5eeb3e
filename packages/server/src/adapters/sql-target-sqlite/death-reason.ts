import { StatementError } from "../../plans/ports.js";
import { type ChildSettings, LIMIT_SIGNALS } from "./protocol.js";

/** Why a child ended, as far as the statement that it ran has to do with it. */
export type DeathReason = "memory" | "temporary" | "crash" | "elsewhere";

/** Signals that come from outside: an operator, the system's shortage of memory, the end of the service. */
const FOREIGN_SIGNALS: ReadonlySet<string> = new Set(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"]);

/** @param signal what ended the process; null when it ended by itself. */
export function deathReason(exitCode: number | null, signal: string | null): DeathReason {
  if (signal === LIMIT_SIGNALS.memory) return "memory";
  if (signal === LIMIT_SIGNALS.temporary) return "temporary";
  if (signal !== null) return FOREIGN_SIGNALS.has(signal) ? "elsewhere" : "crash";
  return exitCode === null || exitCode === 0 ? "elsewhere" : "crash";
}

/**
 * What whoever asked for the statement is told. One that has a process end will do so again, and must not be tried
 * again by itself; `undefined` when it is not to blame.
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
