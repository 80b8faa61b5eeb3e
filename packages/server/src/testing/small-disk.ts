import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk of a few megabytes, in memory. */
export interface SmallDisk extends Disposable {
  readonly directory: string;
  /** Writes until the disk is full. */
  fill(): void;
  /** Deletes the files that fill it. */
  free(): void;
}

/** Whether this user may mount a disk. */
export const CAN_MOUNT: boolean = ((): boolean => {
  try {
    mountSmallDisk(1)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
})();

/** Mounts one. @throws Error when this user may not. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), "steward-small-disk-"));
  const options = ["-t", "tmpfs", "-o", `size=${String(megabytes)}m`, "tmpfs", directory];
  const mounted = spawnSync("mount", options, { encoding: "utf8" });
  if (mounted.status !== 0) {
    rmSync(directory, { recursive: true });
    throw new Error(`cannot mount a disk: ${mounted.stderr || String(mounted.error)}`);
  }
  const filler = join(directory, "filler");
  return {
    directory,
    fill() {
      // Small writes use the last bytes, which a large write that does not fit leaves free.
      for (const bytes of [1024 * 1024, 64 * 1024, 4096]) appendWhileItFits(filler, bytes);
    },
    free() {
      rmSync(filler);
    },
    [Symbol.dispose]() {
      spawnSync("umount", ["--lazy", directory]);
      rmSync(directory, { recursive: true });
    },
  };
}

function appendWhileItFits(file: string, bytes: number): void {
  const chunk = Buffer.alloc(bytes);
  try {
    for (;;) appendFileSync(file, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
