import { ExportPlans } from "./export-plans.js";
import type { PlanFilters } from "./plan-filters.js";
import { SavedViews } from "./saved-views.js";

/** What can be done with the whole list; loaded after the list itself is shown. */
export default function ListActions({ filters }: { readonly filters: PlanFilters }) {
  return (
    <>
      <SavedViews filters={filters} />
      <ExportPlans filters={filters} />
    </>
  );
}
