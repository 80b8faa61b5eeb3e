import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";
import type { Snippet } from "./markdown.js";

/** The environment of a document's snippets. */
export interface Surroundings {
  /** Variables of the shell. */
  readonly env?: Readonly<Record<string, string>>;
  /** Replacements for placeholders of the reader's own values in the snippets. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Substitutes for other programs, as shell scripts. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Empty files below `/var/lib`; an empty file is an SQLite database without tables. */
  readonly files?: readonly string[];
  /** Whether the document assumes a running server. */
  readonly serves?: boolean;
  /** The protocol of the server's URL; default: `http`. */
  readonly scheme?: "http" | "https";
}

/** The result of a document's snippets. */
export interface SnippetRun {
  /** 0 when all of them succeeded. */
  readonly code: number | null;
  /** The whole output, with a line `== PLACE` before each snippet. */
  readonly output: string;
}

/**
 * Runs the snippets of a document in order, in one shell, in a folder with the content of a clone
 * of the repository. `npm start`, `npx @steward/server dev`, `steward dev` and `steward serve` run in the background; a server
 * is stopped where the text says Ctrl-C.
 */
export async function runSnippets(
  root: string,
  snippets: readonly Snippet[],
  around: Surroundings = {},
): Promise<SnippetRun> {
  const { env = {}, replace = {}, programs = {}, files = [] } = around;
  const { serves = false, scheme = "http" } = around;
  const folder = mkdtempSync(join(tmpdir(), "steward-snippets-"));
  const port = await freePort();
  try {
    for (const name of ["node_modules", "packages"])
      symlinkSync(join(root, name), join(folder, name));
    const bin = join(folder, "bin");
    mkdirSync(bin);
    for (const [name, script] of Object.entries({ ...OWN_PROGRAMS, ...programs })) {
      writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
    }
    for (const file of files) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), "");
    }
    const own = { "127.0.0.1:8080": `127.0.0.1:${port}`, "localhost:8080": `localhost:${port}` };
    const replaced = (text: string): string =>
      Object.entries({ ...own, "/var/lib": folder, ...replace }).reduce(
        (changed, [from, to]) => changed.replaceAll(from, to),
        text,
      );
    const script = [
      "set -euo pipefail",
      "trap stop-server EXIT",
      ...(serves ? ["npm start"] : []),
      ...snippets.flatMap((snippet, index) => [
        ...(/Ctrl-C/.test(snippet.prose) ? ["stop-server"] : []),
        `echo '== ${snippet.place}'`,
        snippet.language === "ts"
          ? moduleScript(folder, `snippet-${String(index)}.mjs`, replaced(snippet.text))
          : replaced(snippet.text),
      ]),
    ].join("\n");
    return await runShell(script, folder, {
      ...env,
      HOME: folder,
      PATH: `${bin}:${process.env["PATH"] ?? ""}`,
      ROOT: root,
      NODE: process.execPath,
      SERVICE_PORT: String(port),
      SERVICE_URL: `${scheme}://127.0.0.1:${port}`,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Replaces commands that would need a network, block the terminal, or hide a failure. */
const OWN_PROGRAMS: Readonly<Record<string, string>> = {
  npm: 'case "$1" in ci|test) ;; start) exec start-server dev ;; *) exit 64 ;; esac',
  npx: [
    'case "$1 ${2:-}" in "steward dev"|"steward serve"|"@steward/server dev") shift; exec start-server "$@" ;; esac',
    'program=$(command -v "foreign-$1" || echo "$ROOT/node_modules/.bin/$1")',
    // A command that watches runs until it is stopped.
    'if [ "$1 ${3:-}" = "steward watch" ]; then shift; timeout 2 "$program" "$@" || [ $? = 124 ]; exit; fi',
    'shift; exec "$program" "$@"',
  ].join("\n"),
  curl: 'exec "$(type -ap curl | tail -n 1)" --fail-with-body "$@"',
  "start-server": [
    '"$NODE" "$ROOT/packages/server/bin/steward.js" "$@" > server.log 2>&1 &',
    "echo $! > server.pid",
    "for _ in $(seq 300); do",
    '  if curl -s "$SERVICE_URL/readyz" > /dev/null; then exit 0; fi',
    '  if ! kill -0 "$(cat server.pid)" 2> /dev/null; then break; fi',
    "  sleep 0.1",
    "done",
    "cat server.log; exit 1",
  ].join("\n"),
  "stop-server": [
    "[ -f server.pid ] || exit 0",
    'kill -INT "$(cat server.pid)" 2> /dev/null || true',
    'while kill -0 "$(cat server.pid)" 2> /dev/null; do sleep 0.05; done',
    "rm server.pid",
  ].join("\n"),
};

/** A command that runs a TypeScript snippet as a module of its own. */
function moduleScript(folder: string, name: string, text: string): string {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  writeFileSync(join(folder, name), outputText);
  return `"$NODE" ${name}`;
}

function runShell(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<SnippetRun> {
  const child = spawn("bash", ["-c", script], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output: output + logOf(cwd) }));
  });
}

/** The server's log, if it still exists. */
function logOf(folder: string): string {
  try {
    return `== server\n${readFileSync(join(folder, "server.log"), "utf8")}`;
  } catch {
    return "";
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
