import type { SystemStatus } from "@steward/client";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { systemTexts } from "../texts/system.js";
import { Badge } from "../ui/badge.js";
import { Choices } from "../ui/facets.js";
import { SearchField } from "../ui/field.js";
import { Table } from "../ui/table.js";
import type { SystemFilters } from "./system-filters.js";

type Setting = NonNullable<SystemStatus["settings"]>[number];

/** Every setting with its value and source, searched by name, value and meaning. */
export function Settings({ settings }: { readonly settings: readonly Setting[] }) {
  const filters = useSearch({ from: "/system" });
  const navigate = useNavigate({ from: "/system" });
  const shown = settings.filter((setting) => matches(setting, filters));
  const { settingColumns: titles } = systemTexts;
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchField
          label={systemTexts.search}
          hint={systemTexts.searchHint}
          value={filters.q ?? ""}
          onChange={(q) => {
            const { q: _q, ...others } = filters;
            void navigate({ search: q === "" ? others : { ...others, q }, replace: true });
          }}
        />
        <Choices
          label={systemTexts.source}
          chosen={filters.settings ?? "all"}
          values={[
            { value: "all", text: systemTexts.all },
            { value: "changed", text: systemTexts.changed },
          ]}
          onChoose={(chosen) => {
            const { settings: _settings, ...others } = filters;
            const search = chosen === "changed" ? { ...others, settings: chosen } : others;
            void navigate({ search, replace: true });
          }}
        />
      </div>
      {shown.length === 0 && <p className="text-sm text-muted">{systemTexts.noMatch}</p>}
      {shown.length > 0 && (
        <Table
          label={systemTexts.settings}
          rows={shown}
          keyOf={({ name }) => name}
          columns={[
            {
              title: titles.name,
              cell: ({ name, flag }) => (
                <span className="flex flex-col">
                  <code className="text-xs">{name}</code>
                  {flag !== undefined && <code className="text-xs text-muted">{`--${flag}`}</code>}
                </span>
              ),
            },
            {
              title: titles.value,
              cell: ({ value }) =>
                value === undefined ? (
                  "–"
                ) : (
                  <code className="block min-w-24 max-w-96 text-xs break-all">
                    <bdi>{value}</bdi>
                  </code>
                ),
            },
            {
              title: titles.source,
              cell: (setting) => (
                <Badge tone={isChanged(setting) ? "busy" : "quiet"}>
                  {systemTexts.sources[setting.source]}
                </Badge>
              ),
            },
            {
              title: titles.help,
              cell: ({ help }) => <span className="block min-w-64 text-muted">{help}</span>,
            },
          ]}
        />
      )}
    </>
  );
}

function matches(setting: Setting, { q = "", settings }: SystemFilters): boolean {
  if (settings === "changed" && !isChanged(setting)) return false;
  const { name, flag = "", value = "", help } = setting;
  const text = [name, flag, value, help].join("\n").toLowerCase();
  return text.includes(q.trim().toLowerCase());
}

function isChanged({ source }: Setting): boolean {
  return source !== "default" && source !== "unset";
}
