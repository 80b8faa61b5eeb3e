import { StewardError } from "@steward/client";
import { CommanderError } from "commander";
import { AppError } from "../kernel/errors.js";
import type { FieldViolation } from "../kernel/errors.js";
import { EXIT } from "./exit-code.js";
import type { ExitCode } from "./exit-code.js";
import { fixFor } from "./fixes.js";

/** The parts of a {@link CliError}. */
export interface CliErrorOptions {
  readonly exitCode: ExitCode;
  /** For programs. */
  readonly code: string;
  /** What to do about it; absent when the message says so itself. */
  readonly fix?: string | undefined;
  readonly details?: readonly FieldViolation[];
  readonly cause?: unknown;
}

/** The one shape in which this program tells what went wrong. */
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

/** A command line, or a file it names, that cannot be acted on. */
export function usageError(message: string, fix: string): CliError {
  return new CliError(message, { exitCode: EXIT.usage, code: "USAGE", fix });
}

/** Any thrown value in this program's shape. */
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
    fix: isForGood(error) ? undefined : fixFor(error.code),
    details: error.details,
    cause: error,
  });
}

/** A store that will not be back by itself: its message says what to do. */
function isForGood({ code, retryAfterMs }: StewardError | AppError): boolean {
  return code === "STORE_UNAVAILABLE" && retryAfterMs === undefined;
}

/** Why the system does not let a file or directory be written, by the name of its error. */
const WRITE_REFUSED: ReadonlyMap<string, string> = new Map([
  ["EROFS", "the file system is read-only"],
  ["EACCES", "this user has no permission"],
  ["EPERM", "this user has no permission"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "this user's quota of the disk is used up"],
]);

/** A file that the system refuses: a matter of the machine, not a defect of this program. */
function fromSystem(thrown: unknown): CliError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  // An error of the system has these fields; its type in the language does not.
  const { code, path } = thrown as NodeJS.ErrnoException;
  const reason = WRITE_REFUSED.get(code ?? "");
  if (code === undefined || reason === undefined || path === undefined) return undefined;
  return new CliError(`${path} cannot be used: ${reason}`, {
    exitCode: EXIT.failed,
    code,
    fix: "mend the permissions, the mount or the space there, or name another place with --data-dir or --database-url",
    cause: thrown,
  });
}

/** `error: unknown option '--prot'\n(Did you mean --port?)`, taken apart. */
function fromCommander(error: CommanderError): CliError {
  const [message = "", hint] = error.message.replace(/^error: /, "").split("\n");
  const meant = /^\(Did you mean (.*)\?\)$/.exec(hint ?? "")?.[1];
  const fix = meant === undefined ? "`--help` after any command shows its usage" : `use ${meant}`;
  return usageError(message, fix);
}
