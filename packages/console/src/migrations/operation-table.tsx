import type { SchemaOperation } from "@steward/client";
import { migrationTexts } from "../texts/migrations.js";
import { AgentText } from "../ui/agent-text.js";
import { Table } from "../ui/table.js";

/** What a change of a schema does to each object. */
export function OperationTable(props: { readonly operations: readonly SchemaOperation[] }) {
  const { operationColumns: titles } = migrationTexts;
  return (
    <Table
      label={migrationTexts.operations}
      rows={props.operations}
      keyOf={({ action, id }) => `${action} ${id}`}
      columns={[
        { title: titles.action, cell: ({ action }) => action },
        { title: titles.kind, cell: ({ kind }) => kind },
        {
          title: titles.object,
          cell: ({ path, from, to }) => (
            <AgentText>
              {from === undefined || to === undefined ? path : migrationTexts.renamed(from, to)}
            </AgentText>
          ),
        },
      ]}
    />
  );
}
