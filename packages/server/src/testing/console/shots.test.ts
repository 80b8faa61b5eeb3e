import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SHOTS } from "./shots.js";

const ROOT = new URL("../../../../../", import.meta.url);
/** Of a picture, so that the documents load quickly. */
const BYTES_MAX = 100_000;

const textOf = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");
const files = readdirSync(new URL("docs/screenshots/", ROOT));

describe("the pictures of the console", () => {
  it("show each page that the navigation leads to", () => {
    const navigation = textOf("packages/console/src/shell/navigation.ts");
    const pages = [...navigation.matchAll(/to: "([^"]+)"/g)].map(([, to = ""]) => to);
    const shown = new Set(SHOTS.map(({ path }) => path.replace(/\?.*/, "")));
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.filter((page) => !shown.has(page))).toEqual([]);
  });

  it("are those that npm run screenshots makes, and are small", () => {
    expect(files.toSorted()).toEqual(SHOTS.map(({ name }) => `${name}.webp`).toSorted());
    for (const file of files) {
      const { length } = readFileSync(new URL(`docs/screenshots/${file}`, ROOT));
      expect([file, length]).toEqual([file, expect.toSatisfy((size) => size <= BYTES_MAX)]);
    }
  });

  it("are in the page about the console, and exist wherever a document shows one", () => {
    const own = [...textOf("docs/console.md").matchAll(/\(screenshots\/([^)]+)\)/g)];
    const linked = [...textOf("README.md").matchAll(/\(docs\/screenshots\/([^)]+)\)/g)];
    expect(own.map(([, file]) => file).toSorted()).toEqual(files.toSorted());
    expect(linked.length).toBeGreaterThan(0);
    expect(linked.map(([, file]) => file).filter((file = "") => !files.includes(file))).toEqual([]);
  });
});
