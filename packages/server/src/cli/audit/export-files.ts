import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AuditFiles } from "../../audit/index.js";
import type { Environment } from "../../config/index.js";
import { OBJECT_STORE_SCHEME, objectStoreFiles } from "./object-store-files.js";

/** An export of the audit log, in a directory or under a prefix of an object store. */
export interface ExportFiles extends AuditFiles {
  /** Creates or replaces a file; a reader finds all of the old content or all of the new. */
  write(path: string, content: Uint8Array): Promise<void>;
}

/** @throws CliError when an object store's URL or credentials are missing or invalid. */
export function exportFilesOf(target: string, env: Environment): ExportFiles {
  return target.startsWith(OBJECT_STORE_SCHEME)
    ? objectStoreFiles(target, env)
    : directoryFiles(target);
}

function directoryFiles(directory: string): ExportFiles {
  return {
    read: async (path) => {
      try {
        return await readFile(join(directory, path));
      } catch (error) {
        const code = error instanceof Error && "code" in error ? error.code : undefined;
        if (code === "ENOENT" || code === "ENOTDIR") return undefined;
        throw error;
      }
    },
    write: async (path, content) => {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      const unfinished = `${file}.${randomBytes(6).toString("hex")}.tmp`;
      await writeFile(unfinished, content, { flush: true });
      await rename(unfinished, file);
    },
  };
}
