import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { planViewOf } from "./plan/plan-view.js";
import { planFiltersOf } from "./plans/plan-filters.js";
import { PlansPage } from "./plans/plans-page.js";
import { CrashedPage, UnknownPage } from "./shell/errors.js";
import { Shell } from "./shell/shell.js";
import { Skeleton } from "./ui/states.js";

/** Rows of the placeholder while the script of a page is on its way. */
const PLACEHOLDER_ROWS = 6;

const root = createRootRoute({ component: Shell });

const index = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    // The router's way to lead elsewhere.
    // oxlint-disable-next-line typescript/only-throw-error
    throw redirect({ to: "/plans", replace: true });
  },
});

/** The first page comes with the first script; all others load their own. */
const plans = createRoute({
  getParentRoute: () => root,
  path: "/plans",
  validateSearch: planFiltersOf,
  component: PlansPage,
});

const newPlan = createRoute({
  getParentRoute: () => root,
  path: "/plans/new",
  component: lazyRouteComponent(() => import("./new-plan/new-plan-page.js")),
});

const plan = createRoute({
  getParentRoute: () => root,
  path: "/plans/$planId",
  validateSearch: planViewOf,
  component: lazyRouteComponent(() => import("./plan/plan-page.js")),
});

export const router = createRouter({
  routeTree: root.addChildren([index, plans, newPlan, plan]),
  defaultErrorComponent: CrashedPage,
  defaultNotFoundComponent: UnknownPage,
  defaultPendingComponent: () => <Skeleton rows={PLACEHOLDER_ROWS} />,
  defaultPreload: "intent",
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
