import {
  autocompletion,
  closeBrackets,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL, sql, type SQLDialect, SQLite } from "@codemirror/lang-sql";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { CatalogListing } from "@steward/client";
import { useEffect, useRef } from "react";
import { client, queries } from "../data/client.js";
import { newPlanTexts } from "../texts/new-plan.js";

/** Letters of a word from which its completions are asked for. */
const WORD_LENGTH_MIN = 2;
const COMPLETIONS_MAX = 20;
/** How long the completions of a word stay known, in ms. */
const KNOWN_MS = 60_000;

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--busy)" },
  { tag: tags.comment, color: "var(--muted)" },
]);
const LOOK = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--canvas)", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--font-mono, ui-monospace, Menlo, Consolas, monospace)",
    lineHeight: "1.6",
  },
  ".cm-content": { caretColor: "var(--text)", padding: "12px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    backgroundColor: "var(--raised)",
    color: "var(--muted)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-placeholder": { color: "var(--muted)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selected) !important",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--canvas)",
    color: "var(--text)",
    border: "1px solid var(--line-strong)",
    borderRadius: "8px",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--selected)",
    color: "var(--text)",
  },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal" },
});
/** Marks a change that comes from outside, which is not reported back. */
const FROM_OUTSIDE = Annotation.define<boolean>();

/** An editor of SQL that knows the tables and columns which its user may see. */
export default function SqlEditor(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onSubmit: () => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const { value } = props;
  const first = useRef(value);
  useEffect(() => {
    if (host.current === null) return undefined;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          keymap.of([
            {
              key: "Mod-Enter",
              run: () => {
                latest.current.onSubmit();
                return true;
              },
            },
            ...completionKeymap,
            ...defaultKeymap,
            ...historyKeymap,
          ]),
          lineNumbers(),
          highlightSpecialChars(),
          history(),
          closeBrackets(),
          language.of(languageOf(SQLite)),
          autocompletion(),
          syntaxHighlighting(COLOURS),
          LOOK,
          EditorView.lineWrapping,
          EditorView.cspNonce.of(nonce()),
          EditorView.contentAttributes.of({ "aria-label": newPlanTexts.editor }),
          placeholder(newPlanTexts.placeholder),
          EditorView.updateListener.of((update) => {
            const isOwn = update.transactions.some((each) => each.annotation(FROM_OUTSIDE));
            if (update.docChanged && !isOwn) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    editor.focus();
    void defaultDialect().then((dialect) => {
      if (view.current === editor && dialect === "postgres") {
        editor.dispatch({ effects: language.reconfigure(languageOf(PostgreSQL)) });
      }
    });
    return () => {
      view.current = undefined;
      editor.destroy();
    };
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: FROM_OUTSIDE.of(true),
    });
  }, [value]);
  return <div ref={host} className="h-full min-h-0" />;
}

/** The language of the editor, which is known when the catalog has answered. */
const language = new Compartment();

function languageOf(dialect: SQLDialect): Extension {
  return [
    sql({ dialect }),
    dialect.language.data.of({ autocomplete: fromCatalog }),
    dialect.language.data.of({ autocomplete: sourcesFor }),
  ];
}

/** The data sources that the user may use; `undefined` without the catalog, when one can still write. */
async function dataSources(): Promise<CatalogListing | undefined> {
  return queries
    .query({
      queryKey: ["catalog", "listing"],
      queryFn: ({ signal }) => client.catalog.listCatalog({}, { signal }),
      staleTime: KNOWN_MS,
    })
    .catch(() => undefined);
}

/** The dialect of the data source that a statement runs on when its step names no other. */
async function defaultDialect(): Promise<"sqlite" | "postgres" | undefined> {
  const listing = await dataSources();
  const name = listing?.default_data_source;
  return listing?.data_sources.find((source) => source.name === name)?.dialect;
}

/** Names of data sources, after `on` in the first line of a step. */
async function sourcesFor(context: CompletionContext): Promise<CompletionResult | null> {
  const begun = context.matchBefore(/^--\s*step\s[^:]*\son\s+[\w-]*/i);
  if (begun === null) return null;
  const [word = ""] = /[\w-]*$/.exec(begun.text) ?? [];
  const listing = await dataSources();
  const options = listing?.data_sources.map(({ name, dialect }) => {
    return { label: name, type: "namespace", detail: dialect };
  });
  return { from: begun.to - word.length, options: options ?? [] };
}

/** Tables and columns whose names resemble the word before the cursor; steps inside a placeholder. */
async function fromCatalog(context: CompletionContext): Promise<CompletionResult | null> {
  const step = context.matchBefore(/\{\{step\.[\w-]*/);
  if (step !== null) {
    const ids = [...context.state.doc.toString().matchAll(/^--\s*step\s+([\w-]+)/gim)];
    return {
      from: step.from + "{{step.".length,
      options: ids.flatMap(([, id]) =>
        id === undefined ? [] : [{ label: id, type: "variable", apply: `${id}.output` }],
      ),
    };
  }
  const word = context.matchBefore(/[A-Za-z_]\w*/);
  if (word === null || (word.text.length < WORD_LENGTH_MIN && !context.explicit)) return null;
  const found = await queries
    .query({
      queryKey: ["catalog", "search", word.text],
      queryFn: async ({ signal }) =>
        client.catalog.searchCatalog({ query: word.text, limit: COMPLETIONS_MAX }, { signal }),
      staleTime: KNOWN_MS,
    })
    // Without the catalog one can still write.
    .catch(() => []);
  const columns = new Map(
    found.flatMap(({ table, columns: own }) =>
      own.map(({ name, type }) => [
        name,
        { label: name, type: "property", detail: `${type} · ${table}` },
      ]),
    ),
  );
  const tables = found.map(({ table, kind }) => ({ label: table, type: "class", detail: kind }));
  return { from: word.from, options: [...tables, ...columns.values()] };
}

/** The nonce with which this page may add style sheets. */
function nonce(): string {
  return document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
}
