import type { PlanSummary } from "@steward/client";
import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { client } from "../data/client.js";
import { csvOf, download } from "../data/export.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Menu, MenuItem } from "../ui/menu.js";
import { InlineFailure } from "../ui/states.js";
import type { PlanFilters } from "./plan-filters.js";
import { queryOf } from "./plan-list.js";

/** Plans on one page of an export, and in the whole of it. */
const PAGE_SIZE = 200;
const PLANS_MAX = 20_000;
const COLUMNS = [
  ...["plan_id", "status", "name", "description", "session_id"],
  ...["created_at", "started_at", "finished_at"],
] as const satisfies readonly (keyof PlanSummary)[];

/** Writes all plans that match the filters to a file. */
export function ExportPlans(props: {
  readonly filters: PlanFilters;
  readonly isOpenFirst: boolean;
}) {
  const { filters } = props;
  const [count, setCount] = useState(0);
  const exporting = useMutation({
    mutationFn: async (format: "csv" | "json") => {
      const plans: PlanSummary[] = [];
      for await (const plan of client.plans.eachPlan({ ...queryOf(filters), limit: PAGE_SIZE })) {
        plans.push(plan);
        if (plans.length % PAGE_SIZE === 0) setCount(plans.length);
        if (plans.length === PLANS_MAX) break;
      }
      if (format === "csv") download("plans.csv", "text/csv", csvOf(COLUMNS, plans));
      else download("plans.json", "application/json", JSON.stringify(plans, null, 2));
    },
  });
  if (exporting.error !== null) return <InlineFailure error={exporting.error} />;
  return (
    <Menu
      isOpenFirst={props.isOpenFirst}
      trigger={
        <Button disabled={exporting.isPending}>
          <Download size={14} aria-hidden />
          {exporting.isPending ? texts.plans.exporting(count) : texts.plans.export}
        </Button>
      }
    >
      <MenuItem
        onSelect={() => {
          exporting.mutate("csv");
        }}
      >
        {texts.plans.exportCsv}
      </MenuItem>
      <MenuItem
        onSelect={() => {
          exporting.mutate("json");
        }}
      >
        {texts.plans.exportJson}
      </MenuItem>
    </Menu>
  );
}
