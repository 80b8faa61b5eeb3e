import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * A temporary directory of this process. It is removed at the end; directories of processes that
 * did not remove their own are removed at the next start.
 */
export class TemporaryDirectory implements Disposable {
  readonly path: string;

  /** @param parent contains the directories of all processes, each named by its process id. */
  constructor(parent: string) {
    this.path = join(parent, String(process.pid));
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(parent)) {
      if (!isAnotherAlive(name)) rmSync(join(parent, name), { recursive: true, force: true });
    }
    mkdirSync(this.path, { mode: 0o700 });
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/**
 * A process with this process's id is an earlier one that has ended, as in a container, where ids
 * restart.
 */
function isAnotherAlive(name: string): boolean {
  const pid = Number(name);
  if (!Number.isInteger(pid) || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user is running too.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
