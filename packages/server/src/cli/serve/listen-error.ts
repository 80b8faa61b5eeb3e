import type { Config } from "../../config/index.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";

/**
 * Explains why the system did not let a server listen, and what to do. `undefined` for other
 * errors.
 */
export function listenError(thrown: unknown, { host, port }: Config): CliError | undefined {
  const failure = findListenFailure(thrown);
  if (failure === undefined) return undefined;
  const where = `${host}:${String(failure.port ?? port)}`;
  const [message, fix] = explain(failure.code, where);
  return new CliError(message, { exitCode: EXIT.failed, code: failure.code, fix, cause: thrown });
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

interface ListenFailure {
  readonly code: (typeof CODES)[number];
  readonly port?: number;
}

/** The system's error may be the cause of another error. */
function findListenFailure(thrown: unknown): ListenFailure | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code, port } = error as Partial<ListenFailure>;
    const known = CODES.find((each) => each === code);
    if (known !== undefined) return { code: known, ...(port === undefined ? {} : { port }) };
  }
  return undefined;
}
