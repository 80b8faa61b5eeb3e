import { expect, it } from "vitest";
import { missingColumnHint } from "./repair-hints.js";

it("does not suggest the name that was written, but says whose column it is", () => {
  const columns: Readonly<Record<string, readonly string[]>> = {
    album: ["id", "artist_id"],
    track: ["id", "name"],
  };
  const catalog = {
    tables: () => Object.keys(columns),
    columns: (table: string) => columns[table] ?? [],
    foreignKeys: () => [],
    written: (path: string) => path,
  };
  const message = "column t.artist_id does not exist";
  expect(missingColumnHint(message, "artist_id", ["album", "track"], catalog)).toBe(
    `${message}; artist_id is a column of album. Columns of album: id, artist_id. Columns of track: id, name`,
  );
});
