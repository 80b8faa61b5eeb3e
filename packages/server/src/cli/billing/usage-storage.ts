import type { StorageUsage } from "@steward/client";
import { byteText } from "@steward/kernel/byte-text.js";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { billingCommand } from "./billing-command.js";

/** What the kinds of data are. */
const KINDS = {
  plans: "plans, with outputs, events and tool calls",
  memory: "memory, with vectors",
  usage: "rows of usage",
  state: "state",
  audit: "audit records",
} as const;

/** `steward usage storage`: what takes the space. */
export function storageCommand({ env, terminal }: CliContext): Command {
  return billingCommand("storage", "Shows what the organization stores, and its quota.").action(
    async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ClientOptions>();
      const storage = await connect(options, env).billing.getStorageUsage();
      if (options.json) {
        terminal.printJson(storage);
        return;
      }
      const { bytes } = storage;
      if (bytes !== undefined) {
        terminal.printTable(
          [{ title: "OF" }, { title: "STORED", align: "right" }],
          Object.entries(KINDS).map(([kind, of]) => [
            of,
            // Both have the same members.
            byteText(bytes[kind as keyof typeof KINDS]),
          ]),
        );
      }
      terminal.note(storageText(storage));
    },
  );
}

/** One line about what an organization stores. */
export function storageText({ stored_bytes: stored, quota_bytes: quota }: StorageUsage): string {
  if (stored === undefined) return "stored: being measured; ask again in a minute";
  if (quota === undefined) return `stored: ${byteText(stored)}, without a quota`;
  const percent = String(Math.floor((100 * stored) / quota));
  return `stored: ${byteText(stored)} of ${byteText(quota)} (${percent} %)`;
}
