import type { PlanCheck } from "@steward/client";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { readPlanFile } from "./plan-file.js";

type StepCheck = PlanCheck["steps"][number];

/** `steward plan check FILE`: exits with 1 when a step may not run as it is, or a budget would stop it. */
export function checkCommand(context: CliContext): Command {
  const { terminal, env, exitWith } = context;
  return clientCommand("check", "Tells what a plan would do, and who decides; stores nothing.")
    .argument("<file>", "Plan as JSON or YAML; - reads standard input.")
    .action(async (file: string, options: ClientOptions) => {
      const plan = await readPlanFile(file, context);
      const check = await connect(options, env).plans.checkPlan(plan);
      if (options.json) terminal.printJson(check);
      else {
        terminal.printTable(COLUMNS, check.steps.map(rowOf));
        check.steps.flatMap(remarksOn).forEach(terminal.print);
        for (const { reason } of check.exceeded_budgets) terminal.print(reason);
        terminal.note(
          `${check.verdict}: ${String(check.aau)} AAU, ${dollars(check.cost_usd)}; nothing was stored`,
        );
      }
      const isBlocked = check.exceeded_budgets.some(({ action }) => action === "block");
      if (check.verdict !== "permit" || isBlocked) exitWith(EXIT.failed);
    });
}

const COLUMNS = [
  { title: "STEP", whole: true },
  { title: "VERDICT" },
  { title: "INTENT" },
  { title: "DATA SOURCE" },
  { title: "TABLES" },
  { title: "AAU", align: "right" },
  { title: "COST", align: "right" },
  { title: "ROWS", align: "right" },
] as const;

function rowOf(step: StepCheck): readonly string[] {
  return [
    step.step_id,
    step.verdict,
    step.intent,
    step.data_source,
    step.tables.map(({ name }) => name).join(", "),
    String(step.aau),
    step.cost_usd === undefined ? "" : dollars(step.cost_usd),
    step.estimated_rows === undefined ? "" : `~${String(step.estimated_rows)}`,
  ];
}

/** What a table has no room for: why a step may not run, and what the database objects to. */
function remarksOn({
  step_id: id,
  reason,
  policies,
  problem,
  hints,
}: StepCheck): readonly string[] {
  const deciders = policies.map((policy) => policy.id).join(", ");
  return [
    ...(reason === undefined ? [] : [`${id}: ${reason}${deciders && ` (policy ${deciders})`}`]),
    ...(problem === undefined ? [] : [`${id}: the database would refuse it now: ${problem}`]),
    ...hints.map((hint) => `${id}: ${hint}`),
  ];
}

function dollars(amount: number): string {
  return `$${String(amount)}`;
}
