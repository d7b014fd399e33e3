import * as Radix from 'radix-ui/dialog'
import { lazy, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { Doctype } from '#shared/doctype.ts'
import type { PendingAction } from '#web/documents/actions/action-dialog.tsx'
import { useOpenAdmin } from '#web/features/sites/open-admin.ts'
import { needsDialog, useActionRunner } from '#web/documents/actions/use-actions.ts'
import type { SearchMode } from '#web/lib/browser/typed-ahead.ts'
import { rememberUse, rememberVisit } from '#web/lib/routing/recent.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { LazyOverlay } from '#web/ui/overlay/lazy-overlay.tsx'
import { useReturnFocus } from '#web/ui/overlay/return-focus.ts'
import { Scrim } from '#web/ui/overlay/scrim.tsx'
import { tSearch } from './messages.ts'
import type { Option } from './option.ts'
import { SearchPanel } from './search-panel.tsx'
import type { AppHandlers } from './app-commands.tsx'

/** Lazy, because it includes the argument forms, which the shell doesn't otherwise need. */
const ActionQuestion = lazy(() =>
  import('#web/documents/actions/action-question.tsx').then((module) => ({ default: module.ActionQuestion })),
)

/** Whether choosing it is doing it. Actions are counted when they have run, wherever that was started. */
const isOwnUse = ({ id }: Option): boolean => /^(?:command|page|visit|login_link)-/.test(id)

/**
 * The global search: a panel, on phones full-screen. The chosen option runs after it has closed; actions that need input
 * open their own dialog.
 */
export function GlobalSearch({
  open,
  mode,
  app,
  onOpenChange,
}: {
  open: boolean
  mode: SearchMode
  app: AppHandlers
  onOpenChange: (open: boolean) => void
}) {
  const { user, organization } = useSession()
  const navigate = useNavigate()
  const returnFocus = useReturnFocus()
  const openAdmin = useOpenAdmin()
  const sites = useActionRunner(SiteDoctype)
  const servers = useActionRunner(ServerDoctype)
  const [question, setQuestion] = useState<{ type: Doctype; pending: PendingAction } | null>(null)
  /** The next page takes the focus, so don't return it to the element that opened the search. */
  const leaving = useRef(false)

  const choose = (option: Option): void => {
    if (option.visit && user && organization) rememberVisit(user, organization.name, option.visit)
    if (isOwnUse(option) && user && organization) rememberUse(user, organization.name, option.id)
    leaving.current = option.href !== undefined && !option.newTab
    onOpenChange(false)
    if (option.run) option.run()
    else if (option.href && !option.newTab) void navigate(option.href)
  }

  return (
    <>
      <Radix.Root open={open} onOpenChange={onOpenChange}>
        <Radix.Portal>
          <Scrim open={open} data-search="" />
          <Radix.Content
            {...returnFocus}
            onCloseAutoFocus={(event) => {
              if (leaving.current) event.preventDefault()
              else returnFocus.onCloseAutoFocus(event)
              leaving.current = false
            }}
            aria-describedby={undefined}
            className="pop fixed z-50 flex flex-col overflow-hidden border-border bg-raised shadow-pop outline-none max-md:inset-0 md:top-18 md:left-1/2 md:max-h-[min(640px,calc(100dvh-120px))] md:w-[680px] md:max-w-[calc(100vw-24px)] md:-translate-x-1/2 md:rounded-[12px] md:border"
          >
            <Radix.Title className="sr-only">{tSearch('title')}</Radix.Title>
            <SearchPanel
              isOpen={open}
              mode={mode}
              handlers={{
                ...app,
                openAdmin: (site) => void openAdmin(site),
                start: (type, pending) => {
                  if (needsDialog(pending.action)) setQuestion({ type, pending })
                  else void (type === SiteDoctype ? sites : servers).runOrToast(pending.doc, pending.name)
                },
              }}
              onChoose={choose}
            />
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
      <LazyOverlay open={question !== null} at={question?.pending.name ?? ''}>
        {question && (
          <ActionQuestion type={question.type} pending={question.pending} onClose={() => setQuestion(null)} />
        )}
      </LazyOverlay>
    </>
  )
}
