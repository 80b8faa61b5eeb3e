import {
  type AsyncRouteComponent,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useRouterState,
} from "@tanstack/react-router";
import type { ReactNode } from "react";
import { auditFiltersOf } from "./audit/audit-filters.js";
import { catalogSearchOf } from "./catalog/catalog-search.js";
import { connectSearchOf } from "./connect/connect-search.js";
import { approvalSearchOf } from "./approvals/approval-search.js";
import { loadScript } from "./data/load-script.js";
import { planViewOf } from "./plan/plan-view.js";
import { migrationSearchOf } from "./migrations/migration-search.js";
import { memoryFiltersOf } from "./memory/memory-filters.js";
import { planFiltersOf } from "./plans/plan-filters.js";
import { PlansPage } from "./plans/plans-page.js";
import { accessFiltersOf } from "./access/access-filters.js";
import { CrashedPage, UnknownPage } from "./shell/errors.js";
import { Shell } from "./shell/shell.js";
import { stateSearchOf } from "./state/state-search.js";
import { signInSearchOf } from "./sign-in/sign-in-search.js";
import { Skeleton } from "./ui/states.js";
import { systemFiltersOf } from "./system/system-filters.js";
import { usageFiltersOf } from "./usage/usage-filters.js";

/** Rows of the placeholder while the script of a page is on its way. */
const PLACEHOLDER_ROWS = 6;

/** How long a page has been there before the scripts of others are loaded, in ms. */
const QUIET_MS = 3000;
const lazyPages: AsyncRouteComponent<unknown>[] = [];

function lazyPage(load: () => Promise<{ readonly default: () => ReactNode }>) {
  const page = lazyRouteComponent(() => loadScript(load));
  lazyPages.push(page);
  return page;
}

/** Loads the scripts of all pages one after the other, when the browser is idle and need not save data. */
export async function preloadPages(): Promise<void> {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
  if (connection?.saveData === true) return;
  await new Promise((resolve) => window.setTimeout(resolve, QUIET_MS));
  for (const page of lazyPages) {
    await new Promise<unknown>((resolve) =>
      // Safari has no idle callbacks.
      "requestIdleCallback" in window ? window.requestIdleCallback(resolve) : resolve(undefined),
    );
    await page.preload?.();
  }
}

/** The sign-in page has no frame, because without a session there is nothing to navigate to. */
function Root() {
  const isSignIn = useRouterState({ select: ({ location }) => location.pathname === "/sign-in" });
  return isSignIn ? <Outlet /> : <Shell />;
}

const root = createRootRoute({ component: Root });

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
  component: lazyPage(() => import("./new-plan/new-plan-page.js")),
});

const approvals = createRoute({
  getParentRoute: () => root,
  path: "/approvals",
  validateSearch: approvalSearchOf,
  component: lazyPage(() => import("./approvals/approvals-page.js")),
});

const plan = createRoute({
  getParentRoute: () => root,
  path: "/plans/$planId",
  validateSearch: planViewOf,
  component: lazyPage(() => import("./plan/plan-page.js")),
});

const memory = createRoute({
  getParentRoute: () => root,
  path: "/memory",
  validateSearch: memoryFiltersOf,
  component: lazyPage(() => import("./memory/memory-page.js")),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: "/usage",
  validateSearch: usageFiltersOf,
  component: lazyPage(() => import("./usage/usage-page.js")),
});

const access = createRoute({
  getParentRoute: () => root,
  path: "/access",
  validateSearch: accessFiltersOf,
  component: lazyPage(() => import("./access/access-page.js")),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: auditFiltersOf,
  component: lazyPage(() => import("./audit/audit-page.js")),
});

const data = createRoute({
  getParentRoute: () => root,
  path: "/data",
  validateSearch: catalogSearchOf,
  component: lazyPage(() => import("./catalog/catalog-page.js")),
});

const state = createRoute({
  getParentRoute: () => root,
  path: "/state",
  validateSearch: stateSearchOf,
  component: lazyPage(() => import("./state/state-page.js")),
});

const migrations = createRoute({
  getParentRoute: () => root,
  path: "/migrations",
  validateSearch: migrationSearchOf,
  component: lazyPage(() => import("./migrations/migrations-page.js")),
});

const connect = createRoute({
  getParentRoute: () => root,
  path: "/connect",
  validateSearch: connectSearchOf,
  component: lazyPage(() => import("./connect/connect-page.js")),
});

const payments = createRoute({
  getParentRoute: () => root,
  path: "/payment-methods",
  component: lazyPage(() => import("./payments/payments-page.js")),
});

const system = createRoute({
  getParentRoute: () => root,
  path: "/system",
  validateSearch: systemFiltersOf,
  component: lazyPage(() => import("./system/system-page.js")),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: signInSearchOf,
  component: lazyPage(() => import("./sign-in/sign-in-page.js")),
});

export const router = createRouter({
  routeTree: root.addChildren([
    index,
    plans,
    newPlan,
    plan,
    memory,
    usage,
    access,
    audit,
    connect,
    data,
    state,
    migrations,
    approvals,
    payments,
    system,
    signIn,
  ]),
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
