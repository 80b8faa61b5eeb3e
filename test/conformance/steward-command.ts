import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** How a command ended. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `npx steward …` at the repository's root, as the README says, to its end. */
export function runSteward(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: ROOT,
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
      timeout: 15_000,
    };
    execFile("npx", ["--no-install", "steward", ...args], options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : error.code;
      if (typeof exitCode === "number") resolve({ exitCode, stdout, stderr });
      else reject(new Error("steward did not end", { cause: error }));
    });
  });
}
