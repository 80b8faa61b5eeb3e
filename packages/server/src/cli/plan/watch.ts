import { isTerminalEvent } from "@steward/client";
import type { PlanEvent } from "@steward/client";
import type { Command } from "commander";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { paintStatus } from "../terminal/status-style.js";
import { fit } from "../terminal/table.js";
import type { Colors } from "../terminal/terminal.js";

interface WatchOptions extends ClientOptions {
  readonly after?: string;
}

/** `steward plan watch ID`: prints a line for each event until the plan is finished. */
export function watchCommand(context: CliContext): Command {
  const { terminal } = context;
  return clientCommand(
    "watch",
    "Follows a plan's events until the plan has ended, and reconnects when the connection breaks.",
  )
    .argument("<plan-id>", "Id of the plan.")
    .option("--after <sequence>", "Only events after this one.")
    .action(async (planId: string, options: WatchOptions) => {
      const { plans } = connect(options, context.env);
      let last: PlanEvent | undefined;
      for await (const event of plans.watch(planId, { afterSequence: sequenceOf(options) })) {
        last = event;
        if (options.json) terminal.printJson(event);
        else terminal.print(describeEvent(event, terminal.outColors));
      }
      const failed =
        last !== undefined && isTerminalEvent(last) && last.event_type !== "PlanCompleted";
      if (failed) context.exitWith(EXIT.failed);
    });
}

/** `12:03:04.123  #5  PlanStepExecuted  step_id=totals status=completed …`. */
function describeEvent(event: PlanEvent, colors: Colors): string {
  const { error, ...payload } = payloadOf(event);
  const status = textOf(payload["status"] ?? STATUS_OF_EVENT[event.event_type] ?? "");
  const fields = Object.entries(payload)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}=${textOf(value)}`);
  return [
    colors.dim(event.timestamp.slice(11, 23)),
    colors.dim(`#${String(event.sequence)}`.padStart(4)),
    paintStatus(event.event_type.padEnd(EVENT_NAME_WIDTH), status, colors),
    fit(fields.join(" "), 160),
    // Who watches a plan that fails or is retried looks for the reason, so it is not cut.
    ...(error === undefined ? [] : [`error=${textOf(error)}`]),
  ].join("  ");
}

const EVENT_NAME_WIDTH = "PlanCancelRequested".length;

const STATUS_OF_EVENT: Readonly<Record<string, string>> = {
  PlanCompleted: "completed",
  PlanFailed: "failed",
  PlanCancelled: "cancelled",
  PlanStepStarted: "running",
};

function payloadOf({ payload_json: json }: PlanEvent): Readonly<Record<string, unknown>> {
  const payload: unknown = JSON.parse(json);
  // Only an object has fields to show.
  return typeof payload === "object" && payload !== null ? { ...payload } : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function sequenceOf({ after = "0" }: WatchOptions): number {
  if (/^\d{1,9}$/.test(after)) return Number(after);
  throw usageError(
    `--after ${after} is not a sequence`,
    "give the sequence of the last event that you have",
  );
}
