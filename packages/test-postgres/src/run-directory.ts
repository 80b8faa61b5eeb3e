import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isReachable } from "./binaries.js";
import type { OtherUser } from "./other-user.js";

/** The program that keepers run, which tells them from a process that got the same number later. */
const KEEPER = /test-postgres[\\/]dist[\\/]keeper\.js/;
const PREFIX = "steward-postgres-";
/** How long a server that lost its keeper may take to stop, in ms. */
const ORPHAN_MS_MAX = 5_000;

/** A directory for this process, named after it, so that it can be found when it is left behind. */
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
 * Stops servers and removes directories whose keeper was killed; those of live keepers, in whatever
 * copy of this repository, are left alone.
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
    // Somebody else's, or being removed by another run.
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

/** The command line of a process; empty when there is none of this number. */
function commandOf(pid: number): string {
  try {
    return process.platform === "linux"
      ? readFileSync(`/proc/${pid}/cmdline`, "utf8")
      : execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return "";
  }
}

/** The first place for temporary files that whoever runs the server can get at. */
function root(user: OtherUser | undefined): string {
  const places = [tmpdir(), "/tmp", "/var/tmp"];
  const place = places.find(
    (path) => user === undefined || (existsSync(path) && isReachable(path)),
  );
  if (place === undefined) throw new Error(`no user but root can get at ${places.join(", ")}`);
  return place;
}
