import type { StateQuad, StateTerm } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { client } from "../data/client.js";
import { lazyPart } from "../data/load-script.js";
import { stateTexts } from "../texts/state.js";
import { AgentText } from "../ui/agent-text.js";
import { Drawer } from "../ui/drawer.js";
import { Loaded } from "../ui/loaded.js";
import { Skeleton } from "../ui/states.js";
import { QuadTable } from "./quad-table.js";
import { canBeSubject, ntriplesOf, shortTerm } from "./terms.js";

const BoxGraph = lazyPart(() => import("../graph/box-graph.js"));

/** Quads that are drawn in each direction. */
const NEIGHBOURS_MAX = 25;
const PLACEHOLDER_ROWS = 4;
const TITLE_LENGTH_MAX = 60;

/** A term, and the quads that have it as their subject or as their value. */
export function Neighbourhood(props: {
  readonly at: string;
  /** In N-Triples syntax. */
  readonly term: string;
  readonly onAround: (term: string) => void;
  readonly onClose: () => void;
}) {
  const { at, term, onAround } = props;
  const query = useQuery({
    queryKey: ["state", "around", at, term],
    queryFn: async ({ signal }) => {
      const page = { at, limit: NEIGHBOURS_MAX };
      const [out, into] = await Promise.all([
        client.state.getStateAt({ ...page, subject: term }, { signal }),
        client.state.getStateAt({ ...page, object: term }, { signal }),
      ]);
      const isCut = out.count > out.quads.length || into.count > into.quads.length;
      return { quads: [...out.quads, ...into.quads], isCut };
    },
  });
  return (
    <Drawer
      label={stateTexts.neighbourhood}
      title={
        <h2 className="truncate text-base font-semibold">
          {stateTexts.neighbourhood} <AgentText className="font-mono text-sm">{term}</AgentText>
        </h2>
      }
      onClose={props.onClose}
    >
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
        <Loaded query={query}>
          {({ quads, isCut }) => (
            <>
              <Suspense fallback={<Skeleton rows={PLACEHOLDER_ROWS} />}>
                <BoxGraph
                  label={stateTexts.neighbourhoodGraph}
                  {...graphOf(quads)}
                  chosen={term}
                  onOpen={(id) => {
                    if (/^[<_]/.test(id) && !id.startsWith("<<")) onAround(id);
                  }}
                />
              </Suspense>
              {isCut && (
                <p className="text-xs text-muted">{stateTexts.cutNeighbours(NEIGHBOURS_MAX)}</p>
              )}
              <QuadTable
                label={stateTexts.neighbours}
                rows={quads.map((quad) => ({ quad }))}
                onAround={onAround}
              />
            </>
          )}
        </Loaded>
      </div>
    </Drawer>
  );
}

/** IRIs and blank nodes as boxes; a value that is a text is a line in the box of its subject. */
function graphOf(quads: readonly StateQuad[]) {
  const boxes = new Map<string, { readonly title: string; readonly lines: string[] }>();
  const boxOf = (term: StateTerm) => {
    const id = ntriplesOf(term);
    const box = boxes.get(id) ?? { title: short(term), lines: [] };
    boxes.set(id, box);
    return { id, box };
  };
  const arrows = quads.flatMap(({ subject, predicate, object }) => {
    const from = boxOf(subject);
    if (!canBeSubject(object)) {
      from.box.lines.push(`${short(predicate)}: ${short(object)}`);
      return [];
    }
    return [{ from: from.id, to: boxOf(object).id, text: short(predicate) }];
  });
  return { boxes: [...boxes].map(([id, box]) => ({ id, ...box })), arrows };
}

function short(term: StateTerm): string {
  return shortTerm(term).slice(0, TITLE_LENGTH_MAX);
}
