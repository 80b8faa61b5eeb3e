import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon, Search, X } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import { useWaitingApprovals } from "../approvals/waiting-approvals.js";
import { useConnection } from "../data/connection.js";
import { lazyPart } from "../data/load-script.js";
import { texts } from "../texts.js";
import { IconButton } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { PAGE_GROUPS, type PageLink } from "./navigation.js";
import { useTitleBadge } from "./page-title.js";

const CommandPalette = lazyPart(() => import("./command-palette.js"));
const SessionLine = lazyPart(() => import("../sign-in/session-line.js"));

/** The frame of every page: the navigation, the command palette, the state of the connection. */
export function Shell() {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    setMenuOpen(false);
  }, [path]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setPaletteOpen((open) => !open);
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
    };
  }, []);
  const waiting = useWaitingApprovals().length;
  useTitleBadge(waiting);
  const openPalette = () => {
    setPaletteOpen(true);
  };
  return (
    <div className="flex h-full flex-col md:flex-row">
      <a
        href="#content"
        className="absolute -top-10 left-2 z-50 rounded-md bg-accent px-3 py-1.5 text-on-accent focus:top-2"
      >
        {texts.navigation.skip}
      </a>
      <TopBar isMenuOpen={isMenuOpen} onMenu={setMenuOpen} onSearch={openPalette} />
      <nav
        aria-label={texts.navigation.label}
        className={classNames(
          "shrink-0 flex-col gap-4 overflow-y-auto border-b bg-raised p-3 md:flex md:w-56 md:border-r md:border-b-0",
          isMenuOpen ? "flex" : "hidden",
        )}
      >
        <Brand className="hidden md:flex" />
        <button
          type="button"
          onClick={openPalette}
          className="hidden h-8 items-center gap-2 rounded-md border border-line-strong bg-canvas px-2.5 text-sm text-muted hover:text-text md:flex"
        >
          <Search size={14} aria-hidden />
          <span className="flex-1 truncate text-left">{texts.palette.open}</span>
          <kbd className="font-mono text-xs">⌘K</kbd>
        </button>
        {PAGE_GROUPS.map((pages, index) => (
          <ul key={index} className="flex flex-col gap-0.5">
            {pages.map((page) => (
              <NavigationItem
                key={page.to}
                page={page}
                count={page.to === "/approvals" ? waiting : 0}
              />
            ))}
          </ul>
        ))}
        <div className="mt-auto flex flex-col gap-1 text-xs text-muted">
          <Suspense>
            <SessionLine />
          </Suspense>
          <ConnectionDot />
        </div>
      </nav>
      <main
        id="content"
        tabIndex={-1}
        className="flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto outline-none"
      >
        <OfflineNotice />
        <div className="min-h-0 flex-1">
          <Outlet />
        </div>
      </main>
      {isPaletteOpen && (
        <Suspense fallback={<p className="sr-only">{texts.palette.loading}</p>}>
          <CommandPalette
            onClose={() => {
              setPaletteOpen(false);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

function Brand({ className }: { readonly className?: string }) {
  return (
    <Link
      to="/plans"
      className={classNames("items-center gap-2 px-1 py-1 font-semibold tracking-tight", className)}
    >
      <img src="/favicon.svg" alt="" width={22} height={22} />
      {texts.product}
    </Link>
  );
}

function TopBar(props: {
  readonly isMenuOpen: boolean;
  readonly onMenu: (open: boolean) => void;
  readonly onSearch: () => void;
}) {
  const { isMenuOpen, onMenu } = props;
  return (
    <header className="flex items-center gap-1 border-b bg-raised px-3 py-2 md:hidden">
      <Brand className="flex flex-1" />
      <IconButton label={texts.palette.open} onClick={props.onSearch}>
        <Search size={17} aria-hidden />
      </IconButton>
      <IconButton
        label={isMenuOpen ? texts.navigation.close : texts.navigation.open}
        aria-expanded={isMenuOpen}
        onClick={() => {
          onMenu(!isMenuOpen);
        }}
      >
        {isMenuOpen ? <X size={18} aria-hidden /> : <MenuIcon size={18} aria-hidden />}
      </IconButton>
    </header>
  );
}

function NavigationItem(props: { readonly page: PageLink; readonly count: number }) {
  const { to, text, Icon, exact = false } = props.page;
  return (
    <li>
      <Link
        to={to}
        activeOptions={{ exact, includeSearch: false }}
        className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm text-muted hover:bg-hover hover:text-text aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-text"
      >
        <Icon size={16} aria-hidden />
        <span className="flex-1">{text}</span>
        {props.count > 0 && (
          <span className="rounded-full bg-warn-soft px-1.5 text-xs font-medium text-warn tabular-nums">
            {props.count}
          </span>
        )}
      </Link>
    </li>
  );
}

function ConnectionDot() {
  const isReached = useConnection();
  return (
    <p className="flex items-center gap-2 px-2">
      <span
        aria-hidden
        className={classNames("size-2 rounded-full", isReached ? "bg-good" : "bg-bad")}
      />
      {isReached ? texts.connection.online : texts.connection.offlineShort}
    </p>
  );
}

function OfflineNotice() {
  const isReached = useConnection();
  return (
    <div role="status">
      {!isReached && (
        <p className="border-b bg-warn-soft px-4 py-2 text-sm text-warn md:px-6">
          {texts.connection.offline}
        </p>
      )}
    </div>
  );
}
