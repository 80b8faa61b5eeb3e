import { Link, type ErrorComponentProps } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import { texts } from "../texts.js";
import { Button, buttonClass } from "../ui/button.js";
import { Empty } from "../ui/states.js";
import { usePageTitle } from "./page-title.js";

/** In the place of a page that threw an error. The navigation still works. */
export function CrashedPage({ error }: ErrorComponentProps) {
  usePageTitle(texts.states.crashed);
  return (
    <div role="alert">
      <Empty
        isPage
        title={texts.states.crashed}
        hint={texts.states.crashedHint}
        icon={<TriangleAlert size={24} aria-hidden />}
      >
        <Button
          onClick={() => {
            window.location.reload();
          }}
        >
          {texts.states.reload}
        </Button>
      </Empty>
      <pre className="mx-auto max-w-2xl overflow-auto px-6 pb-8 font-mono text-xs text-muted">
        {error instanceof Error ? error.message : String(error)}
      </pre>
    </div>
  );
}

export function UnknownPage() {
  usePageTitle(texts.states.notFound);
  return (
    <Empty isPage title={texts.states.notFound} hint={texts.states.notFoundHint}>
      <Link to="/plans" className={buttonClass("primary")}>
        {texts.states.toPlans}
      </Link>
    </Empty>
  );
}
