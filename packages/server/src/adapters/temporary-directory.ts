import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * A directory for what this process needs for a while only. It is removed at the end, and those of processes that did
 * not come to that are removed at the next start.
 */
export class TemporaryDirectory implements Disposable {
  readonly path: string;

  /** @param parent holds the directories of all processes that share it, each named by its process id. */
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

/** A process of the same id as ours is one that ended before, as in a container, where ids begin anew. */
function isAnotherAlive(name: string): boolean {
  const pid = Number(name);
  if (!Number.isInteger(pid) || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // One that belongs to another user lives, too.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
