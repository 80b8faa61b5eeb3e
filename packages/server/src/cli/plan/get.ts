import type { Plan, PlanStep } from "@steward/client";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { paintStatus, statusSign } from "../terminal/status-style.js";
import { fit, renderTable } from "../terminal/table.js";
import type { Terminal } from "../terminal/terminal.js";

/** `steward plan get ID`: prints a plan and its steps. */
export function getCommand(context: CliContext): Command {
  const { terminal } = context;
  return clientCommand("get", "Shows a plan and the status of each of its steps.")
    .argument("<plan-id>", "Id of the plan.")
    .action(async (planId: string, options: ClientOptions) => {
      const plan = await connect(options, context.env).plans.getPlan({ plan_id: planId });
      if (options.json) terminal.printJson(plan);
      else describePlan(plan, terminal).forEach(terminal.print);
    });
}

/** Formats a plan, with a line for each step. */
function describePlan(plan: Plan, { outColors: colors, width }: Terminal): readonly string[] {
  const status = paintStatus(`${statusSign(plan.status)} ${plan.status}`, plan.status, colors);
  const waits = plan.wait_reason === undefined ? "" : `  ${colors.dim(plan.wait_reason)}`;
  const times = [
    `created ${plan.created_at}`,
    ...(plan.finished_at === undefined ? [] : [`finished ${plan.finished_at}`]),
  ];
  return [
    `${colors.bold(fit(plan.name) || "(no name)")}  ${status}${waits}`,
    colors.dim([plan.plan_id, ...times].join("  ")),
    ...(plan.description === "" ? [] : [fit(plan.description, 200)]),
    "",
    ...renderTable(
      [
        { title: "STEP", whole: true },
        { title: "STATUS", paint: (cell) => paintStatus(cell, cell.trim(), colors) },
        { title: "ROWS", align: "right" },
        { title: "TRIES", align: "right" },
        { title: "INTENT", paint: colors.dim },
        { title: "SOURCE", paint: colors.dim },
        { title: "" },
      ],
      plan.steps.map(stepRow),
      width,
    ),
  ];
}

function stepRow(step: PlanStep): readonly string[] {
  return [
    step.step_id,
    step.status,
    step.row_count === undefined ? "" : String(step.row_count),
    String(step.attempt),
    step.intent,
    step.data_source ?? "",
    step.error?.message ?? step.wait_reason ?? after(step),
  ];
}

function after({ depends_on: dependsOn }: PlanStep): string {
  return dependsOn.length === 0 ? "" : `after ${dependsOn.join(", ")}`;
}
