import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findBinaries, type Binaries } from "./binaries.js";
import type { KeeperAnswer, KeeperRequest, StopMode } from "./keeper-protocol.js";
import { otherUser } from "./other-user.js";
import { dataDirectory, makeRunDirectory, sweepRunDirectories } from "./run-directory.js";

/** How much of the server's log is kept for the error of a failed start, in characters. */
const LOG_CHARS_MAX = 10_000;
/** Tests do not need durability across power failures; a killed server still recovers. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  fsync: "off",
  full_page_writes: "off",
  // Prepared transactions simulate those of a cluster, which commit late and out of order.
  max_prepared_transactions: "64",
};

const user = otherUser();
await sweepRunDirectories(user);
const directory = makeRunDirectory(user);
const data = dataDirectory(directory);
const password = randomBytes(18).toString("base64url");
let binaries: Binaries | undefined;
let port = 0;
let server: ChildProcess | undefined;
let log = "";

// The client may end before it gets the answer; the keeper must still clean up.
process.stdout.on("error", () => undefined);

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await handle(JSON.parse(line) as KeeperRequest);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await stop("immediate");
rmSync(directory, { recursive: true, force: true });

async function handle(request: KeeperRequest): Promise<KeeperAnswer> {
  try {
    if (request.do === "stop") {
      await stop(request.mode);
      return { is: "stopped" };
    }
    binaries ??= createCluster();
    await start(binaries, request.settings);
    return { is: "started", port, password };
  } catch (error) {
    return { is: "failed", message: `${(error as Error).message}\n${log}`.trimEnd() };
  }
}

function createCluster(): Binaries {
  const found = findBinaries(directory, user);
  const passwordFile = join(directory, "password");
  writeFileSync(passwordFile, password, { mode: 0o644 });
  const { status, stderr, error } = spawnSync(
    found.initdb,
    // prettier-ignore
    ["-D", data, "-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`,
      "--no-locale", "--encoding=UTF8", "--no-sync", "--no-instructions"],
    { ...user, cwd: directory, encoding: "utf8" },
  );
  if (status !== 0) throw error ?? new Error(`initdb failed: ${stderr}`);
  return found;
}

async function start(
  programs: Binaries,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  if (server !== undefined) return;
  if (port === 0) port = await freePort();
  const options = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const child = spawn(programs.postgres, ["-D", data, "-p", String(port), ...options], {
    ...user,
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe"],
  });
  server = child;
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-LOG_CHARS_MAX);
      if (text.includes("database system is ready to accept connections")) resolve();
    });
    child.once("error", reject);
    child.once("exit", () => {
      if (server === child) server = undefined;
      reject(new Error("the server did not start"));
    });
  });
}

async function stop(mode: StopMode): Promise<void> {
  const child = server;
  if (child === undefined) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
  await exited;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port to be had");
  return address.port;
}
