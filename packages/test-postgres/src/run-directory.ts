import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isReachable } from "./binaries.js";
import type { OtherUser } from "./other-user.js";

/**
 * The program of keepers, which distinguishes them from another process with a reused process id.
 */
const KEEPER = /test-postgres[\\/]dist[\\/]keeper\.js/;
const PREFIX = "steward-postgres-";
/** How long a server without a keeper may take to stop, in ms. */
const ORPHAN_MS_MAX = 5_000;

/**
 * Creates a directory named after this process, so that it can be identified if it is left behind.
 */
export function makeRunDirectory(user: OtherUser | undefined): string {
  const directory = join(root(user), `${PREFIX}${process.pid}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { mode: 0o700 });
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  return directory;
}

/** The server's files in a run directory. */
export function dataDirectory(runDirectory: string): string {
  return join(runDirectory, "data");
}

/**
 * Stops servers and removes directories whose keeper was killed; leaves those of live keepers
 * alone, also those of other checkouts.
 */
export async function sweepRunDirectories(user: OtherUser | undefined): Promise<void> {
  for (const name of readdirSync(root(user))) {
    const keeperPid = Number(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : Number.NaN);
    if (!Number.isInteger(keeperPid)) continue;
    if (keeperPid === process.pid || KEEPER.test(commandOf(keeperPid))) continue;
    await removeOrphan(join(root(user), name));
  }
}

async function removeOrphan(directory: string): Promise<void> {
  try {
    await stopOrphan(dataDirectory(directory));
    rmSync(directory, { recursive: true, force: true });
  } catch (error) {
    // It belongs to another user, or another run is removing it.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EPERM" && code !== "EACCES" && code !== "ENOENT") throw error;
  }
}

async function stopOrphan(data: string): Promise<void> {
  const pidFile = join(data, "postmaster.pid");
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
  const isRunning = (): boolean => commandOf(pid).includes(data);
  if (!isRunning()) return;
  process.kill(pid, "SIGQUIT");
  const giveUpAt = performance.now() + ORPHAN_MS_MAX;
  while (isRunning() && performance.now() < giveUpAt) await delay(20);
  if (isRunning()) process.kill(pid, "SIGKILL");
}

/** The command line of a process; empty when the process does not exist. */
function commandOf(pid: number): string {
  try {
    return process.platform === "linux"
      ? readFileSync(`/proc/${pid}/cmdline`, "utf8")
      : execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return "";
  }
}

/** The first temporary directory that the server's user can reach. */
function root(user: OtherUser | undefined): string {
  const places = [tmpdir(), "/tmp", "/var/tmp"];
  const place = places.find(
    (path) => user === undefined || (existsSync(path) && isReachable(path)),
  );
  if (place === undefined) throw new Error(`no user but root can get at ${places.join(", ")}`);
  return place;
}
