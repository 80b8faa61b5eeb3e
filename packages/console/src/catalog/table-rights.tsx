import type { CatalogTable } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { ROLES } from "../access/roles.js";
import { client } from "../data/client.js";
import { useMay } from "../data/session.js";
import { accessTexts } from "../texts/access.js";
import { catalogTexts } from "../texts/catalog.js";
import { AgentText } from "../ui/agent-text.js";
import { Badge } from "../ui/badge.js";
import { Loaded } from "../ui/loaded.js";
import { Table } from "../ui/table.js";

/** What the policies in force decide for each role about reading a table. */
export function TableRights(props: { readonly source: string; readonly table: CatalogTable }) {
  const { source, table } = props;
  const mayAsk = useMay("policies:read");
  const query = useQuery({
    queryKey: ["catalog", "rights", source, table.table],
    queryFn: ({ signal }) => {
      // Policies name tables and columns in lower case.
      const name = table.table.toLowerCase();
      const question = {
        action: "read_select",
        data_source: source,
        tables: [name],
        columns: table.columns.map((column) => `${name}.${column.name.toLowerCase()}`),
      };
      return Promise.all(
        ROLES.map(async (role) => ({
          role,
          answer: await client.policies.explainPolicies({ ...question, roles: [role] }, { signal }),
        })),
      );
    },
    enabled: mayAsk,
  });
  if (!mayAsk) return <p className="text-sm text-muted">{catalogTexts.mayNotAsk}</p>;
  const { rightsColumns: titles } = catalogTexts;
  return (
    <>
      <p className="mb-3 text-sm text-muted">{catalogTexts.rightsHint}</p>
      <Loaded query={query}>
        {(answers) => (
          <Table
            label={catalogTexts.rights}
            rows={answers}
            keyOf={({ role }) => role}
            columns={[
              { title: titles.role, cell: ({ role }) => role },
              {
                title: titles.verdict,
                cell: ({ answer: { permitted } }) => (
                  <Badge tone={permitted ? "good" : "bad"}>
                    {permitted ? accessTexts.permitted : accessTexts.denied}
                  </Badge>
                ),
              },
              {
                title: titles.because,
                cell: ({ answer: { because } }) => (
                  <ul>
                    {because.map(({ name, reason }) => (
                      <li key={name}>
                        <AgentText>{name}</AgentText>:{" "}
                        <AgentText className="text-muted">{reason}</AgentText>
                      </li>
                    ))}
                  </ul>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}
