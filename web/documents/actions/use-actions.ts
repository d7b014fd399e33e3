import type { Action, AnyDoc, Doctype } from '#shared/doctype.ts'
import { needsShare } from '#shared/rules/shares.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey, methodKey } from '#web/lib/api/data-keys.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { t as common } from '#web/lib/i18n/messages.ts'
import { useOfflineSince } from '#web/lib/api/offline.ts'
import { actionUse, rememberUse } from '#web/lib/routing/recent.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { undoButton } from './undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useDocEvents } from '#web/lib/events/use-events.ts'
import { gateAction, hiddenReason, type ActionGate, type PermissionBits } from './action-gate.ts'
import { viewerOf, type Viewer } from './viewer.ts'
import { documentPermissions, engineCapabilities } from './action-responses.ts'
import { useOpenJob } from '../jobs/job-link.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { t } from './messages.ts'
import { offerUndo } from './undo-store.ts'
import { readLeft, undoCallOf } from './undo-values.ts'
import { useUndo } from './use-undo.ts'

/** An action with its gate, as menus and buttons render it. */
export interface GatedAction {
  readonly name: string
  readonly action: Action
  readonly gate: Extract<ActionGate, { shown: true }>
}

/** The current user, as the gates take it. */
export function useViewer(): Viewer {
  return viewerOf(useSession())
}

const permissionsMethod = 'frappe.client.get_doc_permissions'
const permissionsOf = (doctype: string, docname: string | undefined) => ({ doctype, docname })

/** What the user may do with a document. A null doctype asks nothing. */
export function usePermissions(doctype: string | null, name: string | undefined) {
  return useMethod(doctype === null ? null : permissionsMethod, permissionsOf(doctype ?? '', name), {
    returns: documentPermissions,
  })
}

/** Refetches the user's permissions after each change of the document; once for all uses of `useActions` on a page. */
export function useLivePermissions(doctype: string, name: string): void {
  useDocEvents(doctype, name, () => void refetch(methodKey(permissionsMethod, permissionsOf(doctype, name))))
}

/**
 * The declared actions of a document that the user sees. Engine capabilities and the user's share of the document are loaded
 * if an action depends on them; until they arrive, the server decides.
 */
export function useActions(type: Doctype, doc: AnyDoc | null): readonly GatedAction[] {
  const viewer = useViewer()
  const actions = Object.entries(type.actions ?? {})
  const server = serverOf(type, doc)
  const asksEngine = server !== null && actions.some(([, action]) => action.capability)
  const shared = sharedDoc(type, doc, viewer)
  const engine = useMethod(
    asksEngine ? 'easydash.api.engine.capabilities' : null,
    { server },
    { returns: engineCapabilities },
  )
  const permissions = usePermissions(shared && shared.doctype, shared?.name)
  const offline = useOfflineSince() !== null
  if (!doc) return []
  const bits: PermissionBits = {}
  for (const bit of ['read', 'write', 'share'] as const) {
    const value = permissions.data?.permissions[bit]
    if (value !== undefined) bits[bit] = value === 1
  }
  return actions.flatMap(([name, action]) => {
    const gate = gateAction(type, action, { ...doc, doctype: type.name }, viewer, {
      bits,
      capabilities: engine.data?.capabilities ?? {},
    })
    if (!gate.shown) return []
    // Actions are disabled while offline, so that nobody has to wonder whether a call arrived.
    const held =
      offline && gate.enabled ? ({ shown: true, enabled: false, reason: common('common.offline') } as const) : gate
    return [{ name, action, gate: held }]
  })
}

/** Why an action of a document is not possible now; null if it is, or no document is given. */
export function useObstacle(type: Doctype, doc: AnyDoc | null, name: string): string | null {
  const action = type.actions?.[name]
  const gate = useActions(type, doc).find((entry) => entry.name === name)?.gate
  if (!doc || !action) return null
  return gate ? (gate.enabled ? null : gate.reason) : hiddenReason(type, action, doc)
}

/** The document whose shares decide about the actions of this one: itself, or the one it links to, as a backup's site is. */
function sharedDoc(type: Doctype, doc: AnyDoc | null, { role }: Viewer): { doctype: string; name: string } | null {
  if (doc === null || role === null) return null
  const grant = Object.values<Action>(type.actions ?? {})
    .map(({ allow }) => allow[role])
    .find(needsShare)
  if (typeof grant !== 'object') return null
  if (!('link' in grant)) return { doctype: type.name, name: doc.name }
  const [doctype, name] = [type.fields[grant.link]?.options, doc[grant.link]]
  return typeof doctype === 'string' && typeof name === 'string' ? { doctype, name } : null
}

/**
 * Whether what the user may do with a document is still being asked: a screen that shows something only to those who may use
 * it waits, so that nobody sees it for a moment, or sends requests that are refused and recorded as such.
 */
export function useRightsPending(type: Doctype, doc: AnyDoc | null): boolean {
  const shared = sharedDoc(type, doc, useViewer())
  const { data, error } = usePermissions(shared && shared.doctype, shared?.name)
  return shared !== null && data === undefined && error === null
}

/** The server that a document is on, or is; null if it is on none, or that is not known. */
export function serverOf(type: Doctype, doc: AnyDoc | null): string | null {
  if (!doc) return null
  if (type.name === 'Server') return doc.name
  return typeof doc['server'] === 'string' ? doc['server'] : null
}

/** A document's name is all that starting an action needs; the other fields say what undoes it. */
type DocumentRef = Pick<AnyDoc, 'name'> & Readonly<Record<string, unknown>>

/** Result of an action: the server's response, with the name of the job it started. */
export type ActionResult = Record<string, unknown> & { job?: unknown }

/** Names of the arguments that people fill in; hidden ones are for calls of our own, such as an undo. */
export function shownArgs({ args = {} }: Action): string[] {
  return Object.keys(args).filter((name) => !args[name]?.hidden)
}

/** Whether an action opens a dialog first. */
export function needsDialog(action: Action): boolean {
  return Boolean(action.confirm || action.confirm_field || shownArgs(action).length > 0)
}

/**
 * Runs actions: opens the drawer of a started job, refetches the document, and shows other outcomes in a toast. `run` throws
 * the error for dialogs that show it; `runOrToast` shows it in a toast.
 */
export function useActionRunner(type: Doctype): {
  run: (doc: DocumentRef, name: string, args?: Record<string, unknown>) => Promise<ActionResult>
  /** `done`: what the toast says of a success, which a hidden action has none of otherwise. */
  runOrToast: (
    doc: DocumentRef,
    name: string,
    args?: Record<string, unknown>,
    options?: { readonly done?: string },
  ) => Promise<ActionResult | null>
} {
  const openJob = useOpenJob()
  const undo = useUndo()
  const { user, organization } = useSession()
  const run = async (doc: DocumentRef, name: string, args: Record<string, unknown> = {}): Promise<ActionResult> => {
    const result = (await runAction<ActionResult | null>(type.name, doc.name, name, args)) ?? {}
    void refetch(docKey(type.name, doc.name))
    if (user && organization) rememberUse(user, organization.name, actionUse(name, doc.name))
    if (typeof result.job === 'string') {
      offerUndoOf(type, name, { before: doc, args, job: result.job })
      openJob(result.job)
    }
    return result
  }
  return {
    run,
    async runOrToast(doc, name, args, { done } = {}) {
      const action = type.actions?.[name]
      const label = translateText(action?.label ?? name)
      try {
        const result = await run(doc, name, args)
        const title = done ?? (action?.hidden ? null : t('action.done', { action: label }))
        if (typeof result.job !== 'string' && title !== null) {
          const call = undoCallOf(type, name, doc, args ?? {})
          const offer = call && { type, name: doc.name, undo: call, job: null }
          const left = offer && readLeft(offer)
          const back = offer && left && (() => undo(offer, left))
          showToast({
            title,
            variant: 'success',
            ...(back && { action: undoButton({ undo: back }, { lasting: true }) }),
          })
        }
        return result
      } catch (error) {
        showToast({
          title: t('action.failed', { action: label }),
          description: fullMessage(toApiError(error)),
          variant: 'danger',
        })
        return null
      }
    },
  }
}

/** Offers to undo an action once its job has completed, if something undoes it. */
export function offerUndoOf(
  type: Doctype,
  action: string,
  { before, args, job }: { readonly before: DocumentRef; readonly args: Record<string, unknown>; readonly job: string },
): void {
  const undo = undoCallOf(type, action, before, args)
  if (undo !== null) offerUndo({ type, name: before.name, undo, job })
}
