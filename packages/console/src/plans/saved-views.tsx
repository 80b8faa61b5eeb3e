import { useNavigate } from "@tanstack/react-router";
import { Bookmark, Trash2 } from "lucide-react";
import { useState } from "react";
import { localValue } from "../data/local-value.js";
import { texts } from "../texts.js";
import { Button, IconButton } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Field } from "../ui/field.js";
import { hasFilters, planFiltersOf, type PlanFilters } from "./plan-filters.js";

/** Views that one browser keeps; more would be a list that needs a search of its own. */
const VIEWS_MAX = 30;
const NAME_LENGTH_MAX = 60;

interface SavedView {
  readonly name: string;
  readonly filters: PlanFilters;
}

const savedViews = localValue<readonly SavedView[]>("plan-views", (kept) =>
  Array.isArray(kept)
    ? kept.flatMap((view: Partial<Record<"name" | "filters", unknown>> | null) =>
        typeof view?.name === "string" && typeof view.filters === "object" && view.filters !== null
          ? [{ name: view.name, filters: planFiltersOf({ ...view.filters }) }]
          : [],
      )
    : [],
);

/** Filters under a name, kept in this browser. */
export function SavedViews(props: {
  readonly filters: PlanFilters;
  readonly isOpenFirst: boolean;
}) {
  const { filters } = props;
  const views = savedViews.use();
  const navigate = useNavigate({ from: "/plans" });
  const [isOpen, setOpen] = useState(props.isOpenFirst);
  const close = () => {
    setOpen(false);
  };
  return (
    <>
      <Button
        onClick={() => {
          setOpen(true);
        }}
      >
        <Bookmark size={14} aria-hidden />
        {texts.plans.views}
      </Button>
      <Dialog open={isOpen} onClose={close} title={texts.plans.views}>
        <ul className="mt-3 flex max-h-64 flex-col gap-1 overflow-y-auto">
          {views.length === 0 && <li className="text-sm text-muted">{texts.plans.noViews}</li>}
          {views.map((view) => (
            <li key={view.name} className="flex gap-1">
              <Button
                look="quiet"
                className="min-w-0 flex-1 justify-start!"
                onClick={() => {
                  close();
                  void navigate({ search: view.filters });
                }}
              >
                <span className="truncate">{view.name}</span>
              </Button>
              <IconButton
                label={texts.plans.deleteView(view.name)}
                onClick={() => {
                  savedViews.set(views.filter(({ name }) => name !== view.name));
                }}
              >
                <Trash2 size={14} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
        {hasFilters(filters) && <NewView views={views} filters={filters} onSaved={close} />}
      </Dialog>
    </>
  );
}

function NewView(props: {
  readonly views: readonly SavedView[];
  readonly filters: PlanFilters;
  readonly onSaved: () => void;
}) {
  const [name, setName] = useState("");
  const trimmed = name.trim();
  return (
    <form
      className="mt-4 flex items-end gap-2 border-t pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        const others = props.views.filter((view) => view.name !== trimmed);
        savedViews.set([...others, { name: trimmed, filters: props.filters }].slice(-VIEWS_MAX));
        props.onSaved();
      }}
    >
      <div className="flex-1">
        <Field
          id="view-name"
          label={texts.plans.viewName}
          value={name}
          maxLength={NAME_LENGTH_MAX}
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
      </div>
      <Button type="submit" look="primary" disabled={trimmed === ""}>
        {texts.plans.saveView}
      </Button>
    </form>
  );
}
