import type { StateQuad, StateTerm } from "@steward/client";
import { stateTexts } from "../texts/state.js";
import { AgentText } from "../ui/agent-text.js";
import { Badge } from "../ui/badge.js";
import { Table } from "../ui/table.js";
import { canBeSubject, ntriplesOf, shortTerm } from "./terms.js";

/** Characters of a term that are drawn; its title and its copy have all of them. */
const TERM_LENGTH_MAX = 200;

/** A quad, and whether a commit has added or deleted it. */
export interface QuadRow {
  readonly quad: StateQuad;
  readonly sign?: "added" | "deleted";
}

/** Quads as a table. A subject leads to what is around it. */
export function QuadTable(props: {
  readonly label: string;
  readonly rows: readonly QuadRow[];
  readonly onAround?: (term: string) => void;
}) {
  const { rows, onAround } = props;
  const { changeColumns: titles } = stateTexts;
  const sign = {
    title: titles.sign,
    cell: (row: QuadRow) =>
      row.sign && (
        <Badge tone={row.sign === "added" ? "good" : "bad"}>{stateTexts[row.sign]}</Badge>
      ),
  };
  const term = (title: string, of: (quad: StateQuad) => StateTerm) => ({
    title,
    cell: ({ quad }: QuadRow) => <Term term={of(quad)} onAround={onAround} />,
  });
  return (
    <Table
      label={props.label}
      rows={rows}
      keyOf={({ quad, sign: change = "" }) =>
        [change, quad.subject, quad.predicate, quad.object, quad.graph]
          .map((part) => (typeof part === "object" ? ntriplesOf(part) : part))
          .join(" ")
      }
      columns={[
        ...(rows.some((row) => row.sign !== undefined) ? [sign] : []),
        term(titles.subject, ({ subject }) => subject),
        term(titles.predicate, ({ predicate }) => predicate),
        term(titles.object, ({ object }) => object),
      ]}
    />
  );
}

function Term(props: {
  readonly term: StateTerm;
  readonly onAround: ((term: string) => void) | undefined;
}) {
  const { term, onAround } = props;
  const whole = ntriplesOf(term);
  const short = shortTerm(term);
  const text = short.length > TERM_LENGTH_MAX ? `${short.slice(0, TERM_LENGTH_MAX)}…` : short;
  const title = whole.slice(0, TERM_LENGTH_MAX);
  if (onAround === undefined || !canBeSubject(term)) {
    return (
      <AgentText title={title} className="break-all">
        {text}
      </AgentText>
    );
  }
  return (
    <button
      type="button"
      title={title}
      aria-label={stateTexts.around(text)}
      className="text-left break-all text-accent"
      onClick={() => {
        onAround(whole);
      }}
    >
      <AgentText>{text}</AgentText>
    </button>
  );
}
