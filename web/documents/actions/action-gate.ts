import { once } from '#web/lib/browser/once.ts'
import { appliesTo, isPossibleIn, matchesTriple, waitsForJob } from '#shared/action-state.ts'
import type { Action, AnyDoc, Doctype, FilterTriple, Grant, Rule } from '#shared/doctype.ts'
import { needsShare } from '#shared/rules/shares.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { locale } from '#web/lib/i18n/locale.ts'
import { t } from './messages.ts'
import { rolesOf, type Viewer } from './viewer.ts'
import { isBusyStatus, isRestingStatus, statusLabel } from '../values/status-tones.ts'

/** Permission bits of the viewer on the document whose shares decide, if they were loaded. */
export type PermissionBits = Partial<Record<'read' | 'write' | 'share', boolean>>

/** What an engine supports. A missing name means unknown: let the server decide. */
export type Capabilities = Readonly<
  Record<string, { readonly supported: true } | { readonly supported: false; readonly reason: string }>
>

/** Whether an action is shown, and if it is disabled, why. */
export type ActionGate =
  | { readonly shown: false }
  | { readonly shown: true; readonly enabled: true }
  | { readonly shown: true; readonly enabled: false; readonly reason: string }

/** Whether the viewer's role allows any visible action of a doctype; if not, lists need no menus. */
export function canAct(type: Doctype, viewer: Viewer): boolean {
  const roles = rolesOf(viewer, null)
  return Object.values(type.actions ?? {}).some((action) => !action.hidden && roles.some((role) => action.allow[role]))
}

function isTriple(rule: Rule): rule is FilterTriple {
  return Array.isArray(rule)
}

/** Whether a row rule holds. Conditions only the server can check (links to other documents) count as allowed here. */
export function ruleHolds(rule: Rule, doc: AnyDoc, user: string, bits: PermissionBits): boolean {
  if (isTriple(rule)) return matchesTriple(rule, doc, user)
  if ('any' in rule) return rule.any.some((part) => ruleHolds(part, doc, user, bits))
  if ('all' in rule) return rule.all.every((part) => ruleHolds(part, doc, user, bits))
  if ('shared' in rule) return bits[rule.shared] ?? true
  // The fields of the other document are unknown here, but its bits say what its owner and its shares allow.
  if ('link' in rule && needsShare(rule)) return ruleHolds(rule.matches, { ...doc, owner: '' }, user, bits)
  return true
}

function granted(grant: Grant | undefined, doc: AnyDoc, user: string, bits: PermissionBits): boolean {
  if (grant === undefined || grant === false) return false
  return grant === true || ruleHolds(grant, doc, user, bits)
}

const alternatives = once(() => new Intl.ListFormat(locale, { type: 'disjunction' }))

/** Joins a list of states: "Live or Failed". */
export function joinOr(labelOf: readonly string[]): string {
  return alternatives().format(labelOf)
}

function statusReason(type: Doctype, from: readonly string[], status: string): string {
  const labelOf = (value: string) => statusLabel(type.name, 'status', value)
  return t('action.from', { from: joinOr(from.map(labelOf)), now: labelOf(status) })
}

/** Why an action is not shown, where it must be said: as an option of another one. */
export function hiddenReason(type: Doctype, action: Action, doc: AnyDoc): string {
  if (action.from && !isPossibleIn(type, action, doc)) return statusReason(type, action.from, String(doc.status ?? ''))
  return t(appliesTo(action, doc) ? 'action.not_allowed' : 'action.not_here')
}

/**
 * Decides about one action on one document: hidden without the role or in a state where it makes no sense; disabled with a
 * reason while the document is busy or if its engine doesn't support it.
 */
export function gateAction(
  type: Doctype,
  action: Action,
  doc: AnyDoc,
  viewer: Viewer,
  options: { bits?: PermissionBits; capabilities?: Capabilities } = {},
): ActionGate {
  const allowed = rolesOf(viewer, doc).some((role) => granted(action.allow[role], doc, viewer.user, options.bits ?? {}))
  if (!allowed) return { shown: false }
  if (!appliesTo(action, doc)) return { shown: false }
  const capability = action.capability ? options.capabilities?.[action.capability] : undefined
  const status = typeof doc.status === 'string' ? doc.status : ''
  if (action.from && !isPossibleIn(type, action, doc)) {
    const worthShowing = isBusyStatus(type.name, status) && action.from.some((from) => isRestingStatus(type.name, from))
    if (!worthShowing) return { shown: false }
    return {
      shown: true,
      enabled: false,
      reason: statusReason(type, action.from, status),
    }
  }
  if (type.name !== 'Job' && doc.locked_by_job && !action.while_locked && !waitsForJob(action))
    return { shown: true, enabled: false, reason: t('action.busy') }
  if (capability && !capability.supported)
    return { shown: true, enabled: false, reason: translateText(capability.reason) }
  return { shown: true, enabled: true }
}
