/// <reference types="node" />
import { accessSync, constants, readFileSync, statfsSync } from "node:fs";

/** Linux's file system in memory. */
const MEMORY_DISK = "/dev/shm";
/**
 * Required free space in bytes: several times what the tests and their PostgreSQL servers use at
 * once.
 */
const FREE_BYTES_MIN = 4 * 1024 ** 3;

/**
 * Puts the temporary files of the tests, including their databases, on a file system in memory,
 * where creating a PostgreSQL database takes a tenth of the processor time. This does not weaken a
 * test: files of a killed process survive there too, and no test simulates a power failure. A given
 * `TMPDIR` is not changed.
 */
export function useTemporaryFilesInMemory(): void {
  if (process.env["TMPDIR"] === undefined && isUsable(MEMORY_DISK))
    process.env["TMPDIR"] = MEMORY_DISK;
}

/** Tests also run programs from there, which a container may forbid (noexec). */
function isUsable(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize >= FREE_BYTES_MIN && !isMountedNoexec(directory);
  } catch {
    return false;
  }
}

/** Lines of /proc/mounts: device, directory, type, options. */
function isMountedNoexec(directory: string): boolean {
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const options = mounts
    .map((line) => line.split(" "))
    .find((fields) => fields[1] === directory)?.[3];
  return options === undefined || options.split(",").includes("noexec");
}
