import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { STEWARD } from "../faults/server-process.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The result of a command. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `steward …` to its end, without the overhead of `npx`. */
export function runSteward(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandEnd> {
  return run(process.execPath, [STEWARD, ...args], env);
}

/** Runs `npx steward …` at the repository's root, as in the README, to its end. */
export function npxSteward(args: readonly string[]): Promise<CommandEnd> {
  return run("npx", ["--no-install", "steward", ...args], {});
}

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: ROOT,
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
      timeout: 120_000,
    };
    execFile(command, args, options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : error.code;
      if (typeof exitCode === "number") resolve({ exitCode, stdout, stderr });
      else reject(new Error("steward did not end", { cause: error }));
    });
  });
}
