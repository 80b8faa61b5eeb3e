import type { Toolset } from "../../kernel/toolsets.js";

/** How to work with the tools of each toolset; absent: their descriptions say it. */
const INSTRUCTIONS: Readonly<Partial<Record<Toolset, string>>> = {
  ask: `Find and describe tables with explore_data before you write SQL: never guess a name or a value. query runs one statement. Follow the hints of an answer; do not repeat a refused call unchanged. Only read_select is assumed: name the intent of a write.`,
  plans: `For several statements that depend on each other, call submit_plan, then execute_step for each step. A step uses the output of an earlier step as {{step.<id>.output[0].<column>}}, which is bound as a value: never paste values into SQL yourself. When a result shows that more steps are needed, call append_steps, also after the last step; when none are needed any more, finish_plan. A step that fails waits for you: call execute_step again with a corrected query_template. Completed steps keep their results, so do not submit the plan anew.`,
  memory: `search_memory finds statements that worked before.`,
};

/** What an LLM is told with \`server/discover\` and \`initialize\`. */
export function instructionsFor(toolsets: readonly Toolset[]): string {
  const parts = toolsets.map((name) => INSTRUCTIONS[name] ?? "").filter((part) => part !== "");
  return ["Steward runs SQL on a company's databases under its policies.", ...parts].join("\n");
}
