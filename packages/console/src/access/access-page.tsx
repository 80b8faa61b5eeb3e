import { useNavigate, useSearch } from "@tanstack/react-router";
import { accessTexts } from "../texts/access.js";
import { Choices } from "../ui/facets.js";
import { Page } from "../ui/page.js";
import { ACCESS_VIEWS } from "./access-filters.js";
import { KeyList } from "./key-list.js";
import { PolicyView } from "./policy-view.js";

/** The page of access: the organization's API keys and policies. */
export default function AccessPage() {
  const { view = "keys" } = useSearch({ from: "/access" });
  const navigate = useNavigate({ from: "/access" });
  return (
    <Page title={accessTexts.title} subtitle={accessTexts.subtitle}>
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2.5 md:px-6">
        <Choices
          label={accessTexts.view}
          chosen={view}
          values={ACCESS_VIEWS.map((value) => ({ value, text: accessTexts.views[value] }))}
          onChoose={(value) => {
            void navigate({ search: value === "keys" ? {} : { view: value }, replace: true });
          }}
        />
      </div>
      {view === "keys" ? <KeyList /> : <PolicyView />}
    </Page>
  );
}
