import { ExportPlans } from "./export-plans.js";
import type { PlanFilters } from "./plan-filters.js";
import { SavedViews } from "./saved-views.js";

/** What can be done with the whole list; loaded when somebody wants it. */
export default function ListActions(props: {
  readonly filters: PlanFilters;
  /** What the person has asked for before this was loaded. */
  readonly opened: "views" | "export";
}) {
  const { filters, opened } = props;
  return (
    <>
      <SavedViews filters={filters} isOpenFirst={opened === "views"} />
      <ExportPlans filters={filters} isOpenFirst={opened === "export"} />
    </>
  );
}
