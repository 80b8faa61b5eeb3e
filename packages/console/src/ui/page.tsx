import { useEffect, type ReactNode } from "react";
import { usePageTitle } from "../shell/page-title.js";
import { AgentText } from "./agent-text.js";

/** The frame of every page: title, actions, content. */
export function Page(props: {
  readonly title: string;
  readonly subtitle?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  usePageTitle(props.title);
  useEffect(() => {
    document.getElementById("content")?.scrollTo(0, 0);
  }, []);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-3 md:px-6">
        <div className="min-w-0 flex-1">
          <h1 className="truncate text-lg font-semibold tracking-tight">
            <AgentText>{props.title}</AgentText>
          </h1>
          {props.subtitle !== undefined && (
            <div className="text-sm text-muted">{props.subtitle}</div>
          )}
        </div>
        {props.actions !== undefined && (
          <div className="flex flex-wrap items-center gap-2">{props.actions}</div>
        )}
      </header>
      <div className="min-h-0 flex-1">{props.children}</div>
    </div>
  );
}
