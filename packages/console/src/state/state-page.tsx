import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { GitBranch } from "lucide-react";
import { client } from "../data/client.js";
import { stateTexts } from "../texts/state.js";
import { Choices } from "../ui/facets.js";
import { SelectField } from "../ui/field.js";
import { Loaded } from "../ui/loaded.js";
import { Page } from "../ui/page.js";
import { Empty } from "../ui/states.js";
import { Commits } from "./commits.js";
import type { StateSearch } from "./state-search.js";
import { Triples } from "./triples.js";

const MAIN = "heads/main";

/** Datasets with their history: the commits of a branch, and the triples of a commit. */
export default function StatePage() {
  const query = useQuery({
    queryKey: ["state", "refs"],
    queryFn: ({ signal }) => client.state.listStateRefs({}, { signal }),
  });
  return (
    <Page title={stateTexts.title} subtitle={stateTexts.subtitle}>
      <Loaded query={query}>
        {(refs) => {
          const names = refs.map(({ name }) => name);
          return <Datasets names={names} />;
        }}
      </Loaded>
    </Page>
  );
}

function Datasets({ names }: { readonly names: readonly string[] }) {
  const search = useSearch({ from: "/state" });
  const navigate = useNavigate({ from: "/state" });
  const ref = search.ref ?? (names.includes(MAIN) ? MAIN : names[0]);
  if (ref === undefined) {
    return (
      <Empty
        title={stateTexts.empty}
        hint={stateTexts.emptyHint}
        icon={<GitBranch size={26} aria-hidden />}
      />
    );
  }
  const show = (next: StateSearch) => {
    void navigate({ search: { ref, ...next }, replace: true });
  };
  const view = search.view ?? "commits";
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-end gap-3 border-b px-4 py-2.5 md:px-6">
        <SelectField
          id="state-ref"
          label={stateTexts.ref}
          value={ref}
          options={names.map((name) => ({ value: name, text: name }))}
          onChoose={(name) => {
            show({ ref: name, ...(search.view && { view: search.view }) });
          }}
        />
        <Choices
          label={stateTexts.view}
          chosen={view}
          values={(["commits", "triples"] as const).map((value) => ({
            value,
            text: stateTexts.views[value],
          }))}
          onChoose={(value) => {
            show(value === "triples" ? { view: value } : {});
          }}
        />
      </div>
      {view === "commits" ? (
        <Commits refName={ref} search={search} onShow={show} />
      ) : (
        <Triples refName={ref} search={search} onShow={show} />
      )}
    </div>
  );
}
