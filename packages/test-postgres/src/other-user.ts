import { readFileSync } from "node:fs";

/** The user that runs the server, because PostgreSQL refuses to run as root. */
export interface OtherUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * @returns `undefined` when the server can run as the current user.
 * @throws Error when that is root and there is no other user.
 */
export function otherUser(): OtherUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(":");
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error(
    "PostgreSQL does not run as root, and there is neither a user postgres nor nobody: " +
      "run the tests as another user or set SERVICE_TEST_DATABASE_URL",
  );
}
