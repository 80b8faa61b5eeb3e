import type { Config } from "../../config/index.js";
import { ListenError } from "../../transport/one-port/port.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";

/**
 * Explains why the system did not let a server listen, and what to do. `undefined` for other
 * errors.
 */
export function listenError(thrown: unknown, { host }: Config): CliError | undefined {
  if (!(thrown instanceof ListenError)) return undefined;
  const { cause } = thrown;
  const named = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const code = CODES.find((each) => each === named);
  const where = `${host}:${String(thrown.port)}`;
  const [message, fix] =
    code === undefined
      ? [thrown.message, "choose another address with --host and --port"]
      : explain(code, where);
  const shown = code ?? "INVALID_ARGUMENT";
  return new CliError(message, { exitCode: EXIT.failed, code: shown, fix, cause: thrown });
}

const CODES = ["EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND"] as const;

function explain(code: (typeof CODES)[number], where: string): readonly [string, string] {
  switch (code) {
    case "EADDRINUSE":
      return [
        `Something listens on ${where} already`,
        "stop it, or choose another port with --port (0: any free one); `steward doctor` tells who answers",
      ];
    case "EACCES":
      return [
        `This user may not listen on ${where}`,
        "choose a port from 1024 up with --port, and put a proxy in front for the lower one",
      ];
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return [
        `This machine has no address for ${where}`,
        "choose one of its own with --host, such as 127.0.0.1",
      ];
  }
}
