import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { clusterUrl } from "./cluster-database.js";
import { PostgresServer } from "./postgres-server.js";

/** URL of an existing server to use; its user must be allowed to create databases. */
const EXISTING = "SERVICE_TEST_DATABASE_URL";
/** Path of the socket where the files of a test run ask for the shared server. */
const SHARED = "STEWARD_TEST_POSTGRES_DOOR";

/**
 * Offers one server to all processes of a test run; the first request starts it. Each project of
 * the run calls this; only the first call has an effect.
 * @returns a function that ends the offer and the server.
 */
export async function offerSharedServer(): Promise<() => Promise<void>> {
  if (process.env[EXISTING] !== undefined || process.env[SHARED] !== undefined)
    return () => Promise.resolve();
  let server: Promise<PostgresServer> | undefined;
  // A secret path, so that other users of this machine cannot ask for the password.
  const path = `/${randomBytes(18).toString("base64url")}`;
  const door = createServer((request, response) => {
    if (request.url !== path) return void response.writeHead(404).end();
    server ??= PostgresServer.start();
    server.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const address = door.address();
  if (address === null || typeof address === "string") throw new Error("no port to be had");
  process.env[SHARED] = `http://127.0.0.1:${address.port}${path}`;
  return async () => {
    Reflect.deleteProperty(process.env, SHARED);
    door.closeAllConnections();
    door.close();
    await (await server)?.[Symbol.asyncDispose]();
  };
}

/** Whether the shared server ends with this test run. */
export function isServerOfThisRun(): boolean {
  return process.env[EXISTING] === undefined && clusterUrl() === undefined;
}

/** @returns the URL of a server whose user may create databases. */
export async function sharedServerUrl(): Promise<string> {
  const existing = process.env[EXISTING] ?? clusterUrl();
  if (existing !== undefined) return existing;
  const door = process.env[SHARED];
  if (door === undefined)
    throw new Error("this test run offers no PostgreSQL: see vitest.config.ts");
  const response = await fetch(door);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
