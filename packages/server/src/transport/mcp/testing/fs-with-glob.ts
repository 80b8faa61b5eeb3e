export * from "node:fs";

/** Node 22 has it; the commands of the suite that the tests run do not call it. */
export function globSync(): never {
  throw new Error("globSync needs Node 22");
}
