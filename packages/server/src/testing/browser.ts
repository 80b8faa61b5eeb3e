import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium as playwright, type Browser } from "playwright-core";

/** The browser is part of an npm package, for this platform only. */
export const HAS_BROWSER: boolean = process.platform === "linux" && process.arch === "x64";

/** Starts the browser, which is unpacked beside `node_modules` the first time. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = await unpackedBrowser();
  return playwright.launch({ executablePath, args: ["--no-sandbox", "--no-zygote"] });
}

/**
 * Unpacks the browser to a directory of its own, which gets its final name when it is complete: two
 * runs may unpack it at the same time, and one that is killed leaves no half of a browser behind.
 */
async function unpackedBrowser(): Promise<string> {
  const directory = fileURLToPath(
    new URL("../../../../node_modules/.cache/chromium-unpacked", import.meta.url),
  );
  const executable = join(directory, "chromium");
  if (existsSync(executable)) return executable;
  mkdirSync(dirname(directory), { recursive: true });
  const draft = mkdtempSync(`${directory}-`);
  await unpackTo(draft);
  try {
    renameSync(draft, directory);
  } catch (error) {
    // Another run was faster.
    if (!existsSync(executable)) throw error;
    rmSync(draft, { recursive: true });
  }
  return executable;
}

/**
 * Unpacks in a process of its own: the package writes to the temporary directory, and what else this
 * process writes there must not go to the draft.
 */
async function unpackTo(directory: string): Promise<void> {
  const chromium = JSON.stringify(import.meta.resolve("@sparticuz/chromium"));
  const script = `await (await import(${chromium})).default.executablePath()`;
  const env = { ...process.env, TMPDIR: directory };
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { env });
}
