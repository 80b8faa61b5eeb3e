import { StewardError } from "@steward/client";
import { CommanderError } from "commander";
import { AppError } from "@steward/kernel/errors.js";
import type { FieldViolation } from "@steward/kernel/errors.js";
import { EXIT } from "./exit-code.js";
import type { ExitCode } from "./exit-code.js";
import { fixFor } from "./fixes.js";

export interface CliErrorOptions {
  readonly exitCode: ExitCode;
  /** Machine-readable error code. */
  readonly code: string;
  /** What to do about it; absent when the message itself says so. */
  readonly fix?: string | undefined;
  readonly details?: readonly FieldViolation[];
  readonly cause?: unknown;
}

/** The error class of the command line. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly fix: string | undefined;
  readonly details: readonly FieldViolation[];

  constructor(message: string, options: CliErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode;
    this.code = options.code;
    this.fix = options.fix;
    this.details = options.details ?? [];
  }
}

/** The error for an invalid command line, or an invalid file that it names. */
export function usageError(message: string, fix: string): CliError {
  return new CliError(message, { exitCode: EXIT.usage, code: "USAGE", fix });
}

/** Converts any thrown value to a CliError. */
export function toCliError(thrown: unknown): CliError {
  if (thrown instanceof CliError) return thrown;
  if (thrown instanceof CommanderError) return fromCommander(thrown);
  if (thrown instanceof StewardError || thrown instanceof AppError) return fromService(thrown);
  const refused = fromSystem(thrown);
  if (refused !== undefined) return refused;
  return new CliError(thrown instanceof Error ? thrown.message : String(thrown), {
    exitCode: EXIT.failed,
    code: "INTERNAL",
    fix: "run `steward doctor`; if it finds nothing, this is a defect worth reporting",
    cause: thrown,
  });
}

function fromService(error: StewardError | AppError): CliError {
  const unreachable = error.code === "UNREACHABLE" || error.code === "BAD_RESPONSE";
  return new CliError(error.message, {
    exitCode: unreachable ? EXIT.unreachable : EXIT.failed,
    code: error.code,
    fix: isForGood(error) ? undefined : fixFor(error),
    details: error.details,
    cause: error,
  });
}

/** Whether a store's error is permanent; its message says what to do. */
function isForGood({ code, retryAfterMs }: StewardError | AppError): boolean {
  return code === "STORE_UNAVAILABLE" && retryAfterMs === undefined;
}

/** Reasons why the system refuses to write a file or directory, by error code. */
const WRITE_REFUSED: ReadonlyMap<string, string> = new Map([
  ["EROFS", "the file system is read-only"],
  ["EACCES", "this user has no permission"],
  ["EPERM", "this user has no permission"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "this user's quota of the disk is used up"],
]);

/**
 * The error for a file that the system refuses. It concerns the machine and is no defect of this
 * program.
 */
function fromSystem(thrown: unknown): CliError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  // Node's system errors have these fields, which the type Error lacks.
  const { code, path } = thrown as NodeJS.ErrnoException;
  const reason = WRITE_REFUSED.get(code ?? "");
  if (code === undefined || reason === undefined || path === undefined) return undefined;
  return new CliError(`${path} cannot be used: ${reason}`, {
    exitCode: EXIT.failed,
    code,
    fix: "correct the permissions, the mount or the free space there, or name another directory with --data-dir or --database-url",
    cause: thrown,
  });
}

/** Splits a commander message such as `error: unknown option '--prot'\n(Did you mean --port?)`. */
function fromCommander(error: CommanderError): CliError {
  const [message = "", hint] = error.message.replace(/^error: /, "").split("\n");
  const meant = /^\(Did you mean (.*)\?\)$/.exec(hint ?? "")?.[1];
  const fix = meant === undefined ? "`--help` after any command shows its usage" : `use ${meant}`;
  return usageError(message, fix);
}
