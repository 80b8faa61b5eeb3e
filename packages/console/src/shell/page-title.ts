import { useEffect } from "react";
import { texts } from "../texts.js";
import { withoutControls } from "../ui/agent-text.js";

let page = "";
let waiting = 0;

function write(): void {
  document.title = `${waiting === 0 ? "" : `(${waiting}) `}${page} · ${texts.product}`;
}

/** Names the page in the title of the tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    page = withoutControls(title);
    write();
  }, [title]);
}

/** The number before the title: what waits for a person who looks at another tab. */
export function useTitleBadge(count: number): void {
  useEffect(() => {
    waiting = count;
    write();
  }, [count]);
}
