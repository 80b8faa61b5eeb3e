import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import type { Erasure, ErasureEstimate, StewardClient } from "@steward/client";
import type { InputOf, retention } from "@steward/operations";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { confirm, isInteractive } from "../terminal/confirm.js";
import { progressBar } from "../terminal/progress-bar.js";
import type { Terminal } from "../terminal/terminal.js";
import { retentionAdminCommand } from "./show.js";

interface EraseOptions extends ClientOptions {
  readonly organization?: true;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** Interval between two looks at an erasure, in ms. */
const LOOK_MS = 200;

/** `steward erase`: erases the data of an organization, a session or a user. */
export function eraseCommand(context: CliContext): Command {
  const command = retentionAdminCommand("erase", "Erases data, and leaves a receipt without it.")
    .option("--organization", "Everything of the organization that you act for.")
    .option("--dry-run", "Only show what would be deleted.")
    .option("--yes", "Do not ask.");
  describe(command, "--session", "Everything of this session.");
  describe(command, "--user", "Every plan with a tool call of this user.");
  return command.action(async (options: EraseOptions) => {
    const { env, terminal } = context;
    const request = requestOf(options);
    // Here these options name what to erase, and not who asks.
    const { session: _session, user: _user, ...connection } = options;
    const client = connect(connection, env);
    const estimate = await client.retention.estimateErasure(request);
    if (options.dryRun === true) {
      printEstimate(estimate, options, terminal);
      return;
    }
    if (!(await isConfirmed(estimate, options, context))) return;
    const begun = await client.retention.beginErasure(request);
    const receipt = await finished(client, begun, estimate, terminal);
    printReceipt(
      { ...receipt, ...(begun.salt === undefined ? {} : { salt: begun.salt }) },
      options,
      terminal,
    );
  });
}

/** Replaces the description of an option that every command has. */
function describe(command: Command, flag: string, description: string): void {
  const option = command.options.find(({ long }) => long === flag);
  if (option !== undefined) option.description = description;
}

function requestOf({
  organization,
  session,
  user,
}: EraseOptions): InputOf<typeof retention.beginErasure> {
  const named = [organization, session, user].filter((each) => each !== undefined);
  if (named.length !== 1) {
    throw usageError(
      "Name what to erase",
      "give one of --organization, --session <id> and --user <id>",
    );
  }
  if (session !== undefined) return { scope: "session", subject: session };
  if (user !== undefined) return { scope: "user", subject: user };
  return { scope: "organization" };
}

async function isConfirmed(
  estimate: ErasureEstimate,
  options: EraseOptions,
  context: CliContext,
): Promise<boolean> {
  if (options.yes === true) return true;
  if (!isInteractive(context)) {
    throw usageError(
      `This deletes ${amounts(estimate)} for ever`,
      "look with --dry-run, then add --yes",
    );
  }
  return confirm(`Delete ${amounts(estimate)} for ever?`, context);
}

async function finished(
  client: StewardClient,
  begun: Erasure,
  estimate: ErasureEstimate,
  terminal: Terminal,
): Promise<Erasure> {
  const total = estimate.plans + estimate.entries + estimate.usage_rows;
  const bar = progressBar(terminal, "rows erased");
  for (let erasure = begun; ;) {
    const done = erasure.plans + erasure.entries + erasure.usage_rows;
    bar.show(done, Math.max(total, done));
    if (erasure.finished_at !== null) {
      bar.end();
      return erasure;
    }
    await pause(LOOK_MS);
    erasure = await client.retention.getErasure({ erasure_id: begun.erasure_id });
  }
}

function printEstimate(estimate: ErasureEstimate, options: EraseOptions, terminal: Terminal): void {
  if (options.json) {
    terminal.printJson(estimate);
    return;
  }
  const right = "right" as const;
  terminal.printTable(
    [{ title: "CLASS" }, { title: "ROWS", align: right }, { title: "BYTES", align: right }],
    [
      ["plans", String(estimate.plans), String(estimate.plan_bytes)],
      ["memory entries", String(estimate.entries), String(estimate.entry_bytes)],
      ["usage rows", String(estimate.usage_rows), ""],
    ],
  );
}

function printReceipt(receipt: Erasure, options: EraseOptions, terminal: Terminal): void {
  if (options.json) {
    terminal.printJson(receipt);
    return;
  }
  terminal.print(`erased ${amounts(receipt)}`);
  terminal.print(`receipt ${receipt.erasure_id}`);
  if (receipt.salt !== undefined && receipt.scope !== "organization") {
    terminal.note(`Keep the salt ${receipt.salt}: with it you can prove whose erasure this was.`);
  }
}

function amounts({
  plans,
  entries,
  usage_rows,
}: Pick<Erasure, "plans" | "entries" | "usage_rows">): string {
  return `${String(plans)} plans, ${String(entries)} memory entries and ${String(usage_rows)} usage rows`;
}
