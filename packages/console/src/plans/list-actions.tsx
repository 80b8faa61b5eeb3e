import { ExportPlans } from "./export-plans.js";
import type { PlanFilters } from "./plan-filters.js";
import { SavedViews } from "./saved-views.js";

/** The actions on the whole list. Their code is loaded when the menu is first opened. */
export default function ListActions(props: {
  readonly filters: PlanFilters;
  /** The action that was chosen before this code was loaded. */
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
