import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import chromium from "@sparticuz/chromium";
import { chromium as playwright, type Browser } from "playwright-core";

/** The browser is part of an npm package, for this platform only. */
export const HAS_BROWSER: boolean = process.platform === "linux" && process.arch === "x64";

/** Starts the browser, which is unpacked beside `node_modules` the first time. */
export async function startBrowser(): Promise<Browser> {
  const cache = fileURLToPath(new URL("../../../../node_modules/.cache/chromium", import.meta.url));
  mkdirSync(cache, { recursive: true });
  // The package unpacks to the temporary directory, which another checkout may use too.
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = cache;
  const executablePath = await chromium.executablePath();
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
  return playwright.launch({ executablePath, args: ["--no-sandbox", "--no-zygote"] });
}
