import type { Finding, FindingKind } from '#shared/responses/site-findings.ts'
import type { SiteProtection } from '#shared/rules/site-protections.ts'
import { isPhpUnsupported, phpSupportEnd } from '#shared/rules/php-support.ts'
import { formatDuration } from '#web/lib/i18n/format.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import type { Tone } from '#web/ui/status.tsx'
import { t } from './messages.ts'

/** What repairs a finding: an action of the site, a dialog that asks for what an action needs, or a place where it can be done. */
type Fix =
  | { readonly label: () => string; readonly action: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly label: () => string; readonly dialog: FixDialog }
  | { readonly label: () => string; readonly hash: string }

/** Dialogs that repair a finding. */
export type FixDialog = 'rename_admin' | 'core_version'

/** How a kind of finding is shown. */
interface FindingView {
  readonly tone: Tone
  readonly title: (finding: Finding) => string
  readonly hint?: () => string
  readonly fix?: Fix
}

const count = (finding: Finding) => ({ count: finding.count ?? 0 })
const protect = (protection: SiteProtection, label: () => string): Fix => ({
  label,
  action: 'set_protection',
  args: { protection, enabled: 1 },
})
const logs: Fix = { label: () => t('health.logs'), hash: '#logs' }

function oldPhp(version: string): string {
  const text = isPhpUnsupported(version, Date.now()) ? 'found.old_php' : 'found.old_php_soon'
  return t(text, { version, date: formatDay(phpSupportEnd(version)) })
}

/** By kind. Texts of the site (`detail`) are shown beside these. */
export const findingViews: Readonly<Record<FindingKind, FindingView>> = {
  broken: { tone: 'bad', title: () => t('found.broken'), hint: () => t('found.broken_hint'), fix: logs },
  php_errors: {
    tone: 'bad',
    title: (found) => t(found.at_least ? 'found.php_errors_at_least' : 'found.php_errors', count(found)),
    hint: () => t('found.php_errors_hint'),
    fix: logs,
  },
  errors_shown: {
    tone: 'bad',
    title: () => t('found.errors_shown'),
    hint: () => t('found.errors_shown_hint'),
    fix: protect('hide_errors', () => t('found.errors_shown_fix')),
  },
  uploads_php: {
    tone: 'warn',
    title: () => t('found.uploads_php'),
    hint: () => t('found.uploads_php_hint'),
    fix: protect('no_uploads_php', () => t('found.uploads_php_fix')),
  },
  late_events: {
    tone: 'warn',
    title: (found) => t('found.late_events', count(found)),
    fix: { label: () => t('found.late_events_fix'), action: 'run_due_events', args: {} },
  },
  events_paused: {
    tone: 'warn',
    title: () => t('found.events_paused'),
    hint: () => t('found.events_paused_hint'),
    fix: { label: () => t('found.events_paused_fix'), action: 'pause_scheduled_events', args: { paused: 0 } },
  },
  disk: {
    tone: 'warn',
    title: (found) => t('found.disk', count(found)),
    hint: () => t('found.disk_hint'),
    fix: { label: () => t('health.files'), hash: '#files' },
  },
  slow: {
    tone: 'warn',
    title: (found) => t('found.slow', { time: formatDuration((found.count ?? 0) / 1000) }),
    hint: () => t('found.slow_hint'),
    fix: { label: () => t('health.monitoring'), hash: '#monitoring' },
  },
  slow_pages: {
    tone: 'warn',
    title: (found) => t(found.at_least ? 'found.slow_pages_at_least' : 'found.slow_pages', count(found)),
    hint: () => t('found.slow_pages_hint'),
    fix: logs,
  },
  old_php: {
    tone: 'warn',
    title: ({ detail }) => oldPhp(detail ?? ''),
    hint: () => t('found.old_php_hint'),
    fix: { label: () => t('health.configurations'), hash: '#configurations' },
  },
  core_update: {
    tone: 'warn',
    title: (found) => t('found.core_update', { version: found.detail ?? '' }),
    hint: () => t('found.core_update_hint'),
    fix: { label: () => t('found.core_update_fix'), dialog: 'core_version' },
  },
  plugin_updates: {
    tone: 'warn',
    title: (found) => t('found.plugin_updates', count(found)),
    hint: () => t('found.updates_hint'),
    fix: { label: () => t('found.plugin_updates_fix'), action: 'update_plugins', args: {} },
  },
  theme_updates: {
    tone: 'warn',
    title: (found) => t('found.theme_updates', count(found)),
    hint: () => t('found.updates_hint'),
    fix: { label: () => t('found.theme_updates_fix'), action: 'update_themes', args: {} },
  },
  default_admin: {
    tone: 'info',
    title: () => t('found.default_admin'),
    hint: () => t('found.default_admin_hint'),
    fix: { label: () => t('found.default_admin_fix'), dialog: 'rename_admin' },
  },
  file_editing: {
    tone: 'info',
    title: () => t('found.file_editing'),
    hint: () => t('found.file_editing_hint'),
    fix: protect('no_file_editing', () => t('found.file_editing_fix')),
  },
}

/** What a protection does. */
export const protectionTexts: Readonly<Record<SiteProtection, () => string>> = {
  hide_errors: () => t('protection.hide_errors'),
  no_file_editing: () => t('protection.no_file_editing'),
  no_uploads_php: () => t('protection.no_uploads_php'),
}
