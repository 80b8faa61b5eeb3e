import { open } from "node:fs/promises";
import type { StewardClient } from "@steward/client";
import {
  entriesOf,
  parseCheckpoint,
  parseNote,
  TILE_WIDTH,
  tilePath,
  tileWidth,
} from "../../audit/index.js";
import { ocsfEventOf, type OcsfSource } from "../../audit-export/index.js";
import { version } from "../../version.js";
import { progressBar } from "../terminal/progress-bar.js";
import type { Terminal } from "../terminal/terminal.js";

/**
 * Writes the whole log as OCSF events to a file, which is replaced. The log's files hold no personal
 * values, so that digests stand in the place of users and addresses.
 * @returns the number of events.
 */
export async function exportEvents(
  audit: StewardClient["audit"],
  path: string,
  terminal: Terminal,
): Promise<number> {
  const { size, origin } = parseCheckpoint(parseNote(await audit.checkpoint()).text);
  const source: OcsfSource = { logName: origin, version: version() };
  const bar = progressBar(terminal, "records");
  const file = await open(path, "w", 0o600);
  try {
    for (let index = 0; index * TILE_WIDTH < size; index += 1) {
      const width = tileWidth(0, index, size);
      const bundle = await audit.tile(tilePath({ level: "entries", index, width }));
      const lines = entriesOf(Buffer.from(bundle)).entries.map((entry, offset) => {
        const record = {
          index: index * TILE_WIDTH + offset,
          orgId: "",
          entry: entry.toString(),
          personal: undefined,
        };
        return `${JSON.stringify(ocsfEventOf(record, source))}\n`;
      });
      await file.writeFile(lines.join(""));
      bar.show(index * TILE_WIDTH + width, size);
    }
  } finally {
    await file.close();
  }
  bar.end();
  return size;
}
