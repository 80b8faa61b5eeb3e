export * from "node:fs";

/** The export of Node 22 that the suite imports by name. The commands that the tests run never call it. */
export function globSync(): never {
  throw new Error("globSync needs Node 22");
}
