import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBrowser } from "../browser.js";
import { signedIn } from "./console-page.js";
import { openSampleServer } from "./sample-server.js";

/** Writes docs/screenshots from the sample data: `npm run screenshots`. */
const DIRECTORY = fileURLToPath(new URL("../../../../../docs/screenshots/", import.meta.url));
const SHOTS = [
  { file: "plans.png", theme: "light", path: "/plans", text: "The best customer of the quarter" },
  {
    file: "memory-dark.png",
    theme: "dark",
    path: "/memory?q=best%20customer&explain=true",
    text: "by words",
  },
  { file: "usage.png", theme: "light", path: "/usage", text: "Daily usage" },
  { file: "access.png", theme: "light", path: "/access", text: "Invoice agent" },
] as const;
const WIDTH = 1280;

mkdirSync(DIRECTORY, { recursive: true });
await using server = await openSampleServer();
const browser = await startBrowser();
for (const { file, theme, path, text } of SHOTS) {
  await using opened = await signedIn(browser, server, { look: { theme, width: WIDTH } });
  const { page } = opened;
  await page.goto(path);
  await page.getByText(text).first().waitFor();
  await page.screenshot({ path: join(DIRECTORY, file) });
}
await browser.close();
