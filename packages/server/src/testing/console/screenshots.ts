import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBrowser } from "../browser.js";
import { signedIn } from "./console-page.js";
import { openSampleServer } from "./sample-server.js";

/** Writes docs/screenshots from the sample data: `npm run screenshots`. */
const DIRECTORY = fileURLToPath(new URL("../../../../../docs/screenshots/", import.meta.url));
interface Shot {
  readonly file: string;
  readonly theme: "light" | "dark";
  readonly path: string;
  /** A text that shows that the page is complete. */
  readonly text: string;
  /** A tab that is opened. */
  readonly tab?: string;
}

const SHOTS: readonly Shot[] = [
  { file: "plans.png", theme: "light", path: "/plans", text: "The best customer of the quarter" },
  {
    file: "memory-dark.png",
    theme: "dark",
    path: "/memory?q=best%20customer&explain=true",
    text: "by words",
  },
  { file: "usage.png", theme: "light", path: "/usage", text: "Daily usage" },
  { file: "access.png", theme: "light", path: "/access", text: "Invoice agent" },
  {
    ...{ file: "data.png", theme: "light", path: "/data?source=shop&table=orders" },
    ...{ text: "refers to customers", tab: "Relations" },
  },
  { file: "state-dark.png", theme: "dark", path: "/state", text: "The second order" },
  { file: "audit.png", theme: "light", path: "/audit?record=1", text: "is in the tree of" },
  { file: "connect.png", theme: "light", path: "/connect", text: "Waiting for a call" },
];
/** Time for a diagram to be drawn, in ms. */
const DRAWN_MS = 1000;
const WIDTH = 1280;

mkdirSync(DIRECTORY, { recursive: true });
await using server = await openSampleServer();
const browser = await startBrowser();
for (const { file, theme, path, text, tab } of SHOTS) {
  await using opened = await signedIn(browser, server, { theme, width: WIDTH });
  const { page } = opened;
  await page.goto(path);
  await page.getByText(text).first().waitFor();
  if (tab !== undefined) await page.getByRole("tab", { name: tab }).click();
  await page.waitForTimeout(DRAWN_MS);
  await page.screenshot({ path: join(DIRECTORY, file) });
}
await browser.close();
