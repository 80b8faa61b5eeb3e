import type { ExitCode } from "../exit-code.js";
import { runCommand } from "../run-command.js";
import { createTerminal } from "../terminal/terminal.js";
import type { Ended, Surroundings } from "./steward-process.js";

/** Inputs of a run in this process besides the arguments. */
export interface SurroundingsHere extends Surroundings {
  /** The typed answer; absent: there is no terminal. */
  readonly answer?: string;
}

/**
 * Runs a command in this process, which is ten times faster than a child process. This tests the
 * command's effects, output and exit code; for each family of commands, one test with `runSteward`
 * shows that the program starts.
 * @param around as for `runSteward`. The working directory of the whole process changes while the
 * command runs.
 */
export async function runHere(
  args: readonly string[],
  around: SurroundingsHere = {},
): Promise<Ended> {
  const { answer, input = "" } = around;
  const text = { stdout: "", stderr: "" };
  const isTTY = answer !== undefined;
  const write = (stream: "stdout" | "stderr") => (chunk: string | Uint8Array, taken?: unknown) => {
    text[stream] += Buffer.from(chunk).toString("utf8");
    if (typeof taken === "function") taken();
    return true;
  };
  const streams = { out: { write: write("stdout") }, error: { write: write("stderr"), isTTY } };
  const env = { ...(isTTY ? { NO_COLOR: "1" } : {}), ...around.env };
  let code: ExitCode = 0;
  const directory = process.cwd();
  if (around.cwd !== undefined) process.chdir(around.cwd);
  try {
    await runCommand(args, {
      env,
      stdin: Object.assign(answer === undefined ? piped(input) : typed(answer), { isTTY }),
      terminal: createTerminal(streams.out, streams.error, env),
      exitWith: (ended) => (code = ended),
    });
  } finally {
    process.chdir(directory);
  }
  return { code, ...text };
}

async function* piped(input: string): AsyncGenerator<string> {
  if (input !== "") yield await Promise.resolve(input);
}

/** Input arrives in pieces and does not end. */
async function* typed(answer: string): AsyncGenerator<string> {
  for (const character of answer) yield await Promise.resolve(character);
}
