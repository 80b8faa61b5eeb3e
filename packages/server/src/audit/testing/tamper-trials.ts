import { expect } from "vitest";
import { entriesOf, entryBundle } from "../tree/index.js";
import { verifyExport } from "../verify.js";
import { exportOf, FilesInMemory } from "./exports.js";

type Random = () => number;

/** Ways to tamper with an export. @returns the first record that differs, when records were changed. */
const TAMPERINGS: readonly ((files: FilesInMemory, random: Random) => number | undefined)[] = [
  changeByte,
  (files, random) => editEntries(files, random, (entries, at) => entries.splice(at, 1)),
  (files, random) =>
    editEntries(files, random, (entries, at) => {
      const other = at === 0 ? entries.length - 1 : at - 1;
      const [one, two] = [entries[at], entries[other]];
      if (one !== undefined && two !== undefined) [entries[at], entries[other]] = [two, one];
    }),
  (files, random) => editEntries(files, random, (entries, at) => entries.splice(at)),
  (files, random) => {
    files.delete(pick(files.paths, random));
    return undefined;
  },
];

/** Tampers with an export in random ways, and verifies that each one is found, and named where records were changed. */
export async function tamperTrials(random: Random, trials: number): Promise<void> {
  const exports = [1, 2, 255, 256, 700].map((size) => exportOf(size));
  for (let trial = 0; trial < trials; trial += 1) {
    const { files, checkpoint } = pick(exports, random);
    const tampered = new FilesInMemory(files);
    const record = pick(TAMPERINGS, random)(tampered, random);
    if (await isSame(files, tampered)) continue;
    const verdict = await verifyExport(tampered, { checkpoint });
    expect(verdict.isIntact).toBe(false);
    if (record !== undefined) expect(verdict).toMatchObject({ record });
  }
}

function changeByte(files: FilesInMemory, random: Random): undefined {
  files.set(pick(files.paths, random), (bytes) => {
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255));
    return bytes;
  });
}

/** Edits the entries of one bundle. @returns the first one that differs. */
function editEntries(
  files: FilesInMemory,
  random: Random,
  edit: (entries: Buffer[], at: number) => void,
): number | undefined {
  const path = pick(
    files.paths.filter((each) => each.startsWith("tile/entries/")),
    random,
  );
  const bundle = Number(path.slice("tile/entries/".length, "tile/entries/".length + 3));
  let first: number | undefined;
  files.set(path, (bytes) => {
    const before = entriesOf(bytes).entries;
    const after = [...before];
    edit(after, Math.floor(random() * after.length));
    first = before.findIndex((entry, at) => after[at]?.equals(entry) !== true);
    return entryBundle(after);
  });
  return first === undefined || first < 0 ? undefined : bundle * 256 + first;
}

async function isSame(one: FilesInMemory, two: FilesInMemory): Promise<boolean> {
  if (one.paths.length !== two.paths.length) return false;
  for (const path of one.paths) {
    if ((await one.read(path))?.equals((await two.read(path)) ?? Buffer.alloc(0)) !== true)
      return false;
  }
  return true;
}

function pick<T>(items: readonly T[], random: Random): T {
  // A list of at least one item has one at this index.
  return items[Math.floor(random() * items.length)] as T;
}
