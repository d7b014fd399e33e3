import type { Finding, FindingKind, HealthFinding, SiteFindings } from '#shared/responses/site-findings.ts'

type Words = Readonly<{
  severity: HealthFinding['severity']
  text: (finding: Finding) => string
  fix: string
}>

const some = ({ count, at_least: atLeast }: Finding, one: string, several: string): string =>
  `${atLeast ? 'At least ' : ''}${count ?? 0} ${count === 1 ? one : several}`

const words: Readonly<Record<FindingKind, Words>> = {
  broken: {
    severity: 'critical',
    text: () => 'WordPress does not load',
    fix: 'Deactivate what the message names, or look at the error log.',
  },
  php_errors: {
    severity: 'critical',
    text: (found) => `${some(found, 'PHP error', 'PHP errors')} in the last day`,
    fix: 'Look at the PHP log for the plugin or theme they name.',
  },
  errors_shown: {
    severity: 'critical',
    text: () => 'Visitors see PHP errors',
    fix: 'Call set_protection with hide_errors.',
  },
  uploads_php: {
    severity: 'warning',
    text: () => 'PHP files among the uploads are run',
    fix: 'Call set_protection with no_uploads_php.',
  },
  late_events: {
    severity: 'warning',
    text: (found) => `${some(found, 'scheduled event is', 'scheduled events are')} late`,
    fix: 'Call run_due_events.',
  },
  events_paused: {
    severity: 'warning',
    text: () => 'Scheduled events are paused',
    fix: 'Call pause_scheduled_events with paused 0.',
  },
  disk: {
    severity: 'warning',
    text: ({ count }) => `The disk is ${count ?? 0}% full`,
    fix: 'Delete what is not needed, or ask for more space.',
  },
  slow: {
    severity: 'warning',
    text: ({ count }) => `The homepage is slow: ${count ?? 0} ms in the last day`,
    fix: 'Look at what changed when it became slow.',
  },
  slow_pages: {
    severity: 'warning',
    text: (found) => `${some(found, 'request', 'requests')} took over two seconds in the last day`,
    fix: 'Look at the access log for the pages.',
  },
  old_php: {
    severity: 'warning',
    text: ({ detail }) => `PHP ${detail ?? ''} has no security fixes, or soon none`,
    fix: 'Call set_php_version; try it on a staging site first.',
  },
  core_update: {
    severity: 'warning',
    text: ({ detail }) => `WordPress ${detail ?? ''} is available`,
    fix: 'Call set_core.',
  },
  plugin_updates: {
    severity: 'warning',
    text: (found) => `${some(found, 'plugin has', 'plugins have')} an update`,
    fix: 'Call update_plugins.',
  },
  theme_updates: {
    severity: 'warning',
    text: (found) => `${some(found, 'theme has', 'themes have')} an update`,
    fix: 'Call update_themes.',
  },
  default_admin: {
    severity: 'info',
    text: () => 'An administrator is named “admin”',
    fix: 'Call rename_wordpress_user.',
  },
  file_editing: {
    severity: 'info',
    text: () => 'The admin has code editors',
    fix: 'Call set_protection with no_file_editing.',
  },
}

const unseen: Readonly<Record<SiteFindings['not_observed'][number], string>> = {
  inside: 'WordPress could not be looked at from inside',
  updates: 'Whether there are updates is not known',
  speed: 'The time of the homepage is not known',
  pages: 'The time of pages is not known',
  disk: 'How full the disk is, is not known',
}

/** For programs that call `site_health`; the web app has texts of its own that it translates. What was not looked at is named. */
export function inWords({ findings, not_observed: notObserved }: SiteFindings): HealthFinding[] {
  return [
    ...findings.map((found): HealthFinding => {
      const { severity, text, fix } = words[found.kind]
      const detail = found.kind === 'broken' && found.detail !== null ? `: ${found.detail}` : ''
      return { id: found.kind, severity, text: `${text(found)}${detail}`, fix }
    }),
    ...notObserved.map((what): HealthFinding => ({
      ...{ id: `unknown_${what}`, severity: 'info', text: unseen[what], fix: 'Check again later.' },
    })),
  ]
}
