import type { Finding } from "../../app/start-checks/index.js";
import type { Log } from "@steward/kernel/log.js";
import type { Terminal } from "../terminal/terminal.js";

/**
 * Tells what checks of the start have found: a person at a terminal as text, whose SQL can be copied; a program that reads
 * standard error as lines of the log.
 */
export function tellOfFindings(
  findings: readonly Finding[],
  { log, terminal }: { readonly log: Log; readonly terminal: Terminal },
): void {
  const { errorScreen, errorColors, note } = terminal;
  for (const { name, found, fix } of findings) {
    if (!errorScreen.isTTY) {
      log.warn({ check: name, found, fix }, "a check of the start found something");
      continue;
    }
    note(`${errorColors.yellow("warning:")} ${name}: ${found}`);
    if (fix !== undefined) note(`  ${errorColors.cyan("fix:")} ${fix}`);
  }
}
