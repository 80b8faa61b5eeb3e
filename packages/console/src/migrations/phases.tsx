import type { MigrationPhase } from "@steward/client";
import { Sql } from "../code/code.js";
import { migrationTexts } from "../texts/migrations.js";
import { AgentText } from "../ui/agent-text.js";
import { Table } from "../ui/table.js";

/** The statements of a script in their order, and the locks that they take. */
export function Phases({ phases }: { readonly phases: readonly MigrationPhase[] }) {
  const { lockColumns: titles } = migrationTexts;
  return (
    <ol className="flex flex-col gap-6">
      {phases.map((phase, index) => (
        <li key={index} className="flex flex-col gap-2">
          <p className="text-sm text-muted">
            {phase.atomic ? migrationTexts.atomic : migrationTexts.oneByOne}
          </p>
          <Sql sql={`${phase.statements.join(";\n")};`} />
          {phase.locks.length > 0 && (
            <Table
              label={migrationTexts.locks}
              rows={phase.locks}
              keyOf={({ statement, table, mode }) => `${statement} ${table} ${mode}`}
              columns={[
                {
                  title: titles.table,
                  cell: ({ table }) =>
                    table === "" ? migrationTexts.wholeFile : <AgentText>{table}</AgentText>,
                },
                { title: titles.mode, cell: ({ mode }) => mode },
                {
                  title: titles.work,
                  cell: ({ holds_while: work }) => migrationTexts.holdsWhile[work],
                },
                { title: titles.effect, cell: ({ effect }) => effect },
              ]}
            />
          )}
        </li>
      ))}
    </ol>
  );
}
