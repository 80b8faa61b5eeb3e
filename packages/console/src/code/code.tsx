import { Fragment, useMemo, useState, type ReactNode } from "react";
import { loadScript } from "../data/load-script.js";
import { texts } from "../texts.js";
import { withMarks } from "../ui/agent-text.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "../ui/copy.js";
import { sqlTokens, type SqlToken } from "./sql-tokens.js";

const COLOURS: Readonly<Record<SqlToken["kind"], string | undefined>> = {
  keyword: "text-accent",
  text: "text-good",
  number: "text-busy",
  comment: "text-muted",
  placeholder: "rounded bg-warn-soft text-warn",
  plain: undefined,
};

/** A text in a fixed-width font that can be scrolled and copied. */
export function Code({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className="group relative">
      <pre
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-lg border bg-raised p-3 pr-16 font-mono text-xs leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        <bdi>{children ?? withMarks(text)}</bdi>
      </pre>
      <div className="absolute top-1.5 right-1.5 rounded-md bg-raised">
        <CopyButton text={text} iconOnly />
      </div>
    </div>
  );
}

/** A statement in colours; on request with one clause per line. */
export function Sql({
  sql,
  dialect,
}: {
  readonly sql: string;
  readonly dialect?: "sqlite" | "postgresql";
}) {
  const [formatted, setFormatted] = useState<
    { readonly of: string; readonly sql: string } | undefined
  >();
  const shown = formatted?.of === sql ? formatted.sql : sql;
  const tokens = useMemo(() => sqlTokens(shown), [shown]);
  const format = () => {
    void loadScript(() => import("./format-sql.js")).then(({ formatSql }) => {
      setFormatted({ of: sql, sql: formatSql(sql, dialect) });
    });
  };
  return (
    <>
      <Code text={shown}>
        {tokens.map(({ kind, text }, index) =>
          COLOURS[kind] === undefined ? (
            <Fragment key={index}>{withMarks(text)}</Fragment>
          ) : (
            <span key={index} className={COLOURS[kind]}>
              {withMarks(text)}
            </span>
          ),
        )}
      </Code>
      <Button
        look="quiet"
        size="small"
        className="mt-1"
        onClick={
          formatted?.of === sql
            ? () => {
                setFormatted(undefined);
              }
            : format
        }
      >
        {formatted?.of === sql ? texts.code.asWritten : texts.code.format}
      </Button>
    </>
  );
}
