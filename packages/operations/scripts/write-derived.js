// Writes what is derived from the operations for programs that do not load their schemas: the client's routes, the
// server's actions and records, the commands of the command line, and the table that `steward operations` prints. With --check it writes nothing, and exits
// with 1 when a file is out of date.
//
// node scripts/write-derived.js [--check]
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { format } from "prettier";
import { BY_HAND, listedOperations, operations, placesOf } from "../dist/index.js";

const packages = join(import.meta.dirname, "../..");
const groups = Object.entries(operations);
const head = "// Written by `npm run operations:gen` from packages/operations; do not edit.\n";

await write("client/src/gen/routes.ts", [
  'import type { Routes } from "../operations/operation-calls.js";',
  ...constants("Routes", routeOf),
]);
await write("server/src/transport/gen/described.ts", [
  'import type { Described } from "../operations.js";',
  `export const DESCRIBED: Readonly<Record<string, Described>> = ${JSON.stringify(described())};`,
]);
await write("server/src/cli/gen/commands.ts", [
  'import type { Commands } from "../operation-commands.js";',
  ...constants("Commands", ({ cli }) => cli),
]);
await write("server/src/cli/gen/operations.ts", [
  'import type { ListedOperation } from "@steward/operations";',
  `export const OPERATIONS: readonly ListedOperation[] = ${JSON.stringify(listedOperations(operations))};`,
]);

/** The results of a function for the operations of a table that it has one for. */
function mapped(table, derive) {
  const all = Object.entries(table).map(([name, operation]) => [name, derive(operation)]);
  return Object.fromEntries(all.filter(([, derived]) => derived !== undefined));
}

/** What the server needs of each operation before it serves any: its action, its record and what its parameters name. */
function described() {
  const byHand = BY_HAND.filter(({ action }) => action !== undefined);
  const all = [...groups.flatMap(([, table]) => Object.values(table)), ...byHand];
  return Object.fromEntries(
    all.map(({ name, action, audit, resolves }) => [name, { action, audit, resolves }]),
  );
}

/** Where a request of the operation goes, as the client's `Route`. */
function routeOf(operation) {
  const { rest, retry } = operation;
  if (rest === undefined) return undefined;
  const hasBody = placesOf(operation).body.length > 0;
  const hasKey = rest.idempotencyKey !== undefined;
  const flags = [hasBody ? " body" : "", retry ? " retry" : "", hasKey ? " key" : ""];
  return `${rest.method} ${rest.path}${flags.join("")}`;
}

/** A constant for each group that has operations with a result of the function. */
function constants(type, derive) {
  return groups.flatMap(([group, table]) => {
    const derived = mapped(table, derive);
    if (Object.keys(derived).length === 0) return [];
    const name = group.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    return [`export const ${name}: ${type} = ${JSON.stringify(derived)};`];
  });
}

async function write(file, parts) {
  const path = join(packages, file);
  const text = await format(head + parts.join("\n\n"), { parser: "typescript", printWidth: 100 });
  if (!process.argv.includes("--check")) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } else if (readIfThere(path) !== text) {
    console.error(`${relative(process.cwd(), path)} is out of date: run npm run operations:gen`);
    process.exitCode = 1;
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
