import { randomBytes } from 'node:crypto'
import { enginePageHtml, maintenancePage } from '../engine-page.ts'
import type { SiteKind, SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { mutate } from './remote.ts'
import { enabledSite } from './site-of.ts'

/** Header of our own requests, which pass the maintenance page. */
export const passHeader = 'x-easydash-check'
/** Header of the maintenance page, which says why it is shown. */
export const closedHeader = 'x-easydash-maintenance'
/** What it says while something goes on. */
export const closedWord = 'closed'

type Reason = 'maintenance' | typeof closedWord

/**
 * What nginx does during maintenance: it answers with our page, whatever plugins, caches and files there are. A certificate can be renewed
 * meanwhile. Variable and location have names of their own: two of these can be in one configuration. Of WordPress, the sign-in, its files and our links pass, and whoever has a cookie of a sign-in.
 */
export function maintenanceRules(kind: SiteKind, pass: string, reason: Reason): string {
  const name = `easydash_page_${reason}`
  const open = [
    `$uri ~ "^/\\.well-known/acme-challenge/"`,
    `$http_${passHeader.replaceAll('-', '_')} = "${pass}"`,
    ...(kind === 'wp'
      ? [
          `$uri ~ "^/wp-login\\.php$|^/wp-admin(?:/|$)"`,
          `$uri ~* "^/wp-(?:admin|includes|content)/.+\\.(?:css|js|png|jpe?g|gif|svg|webp|ico|woff2?|ttf|map)$"`,
          `$args ~ "(?:^|&)easydash-login=[A-Za-z0-9_-]+(?:&|$)"`,
          `$http_cookie ~ "wordpress_logged_in_[0-9a-z]+="`,
        ]
      : []),
  ]
  const page = enginePageHtml(maintenancePage).replaceAll('\n', ' ')
  if (/['$\\]/.test(page)) throw new Error('The maintenance page can’t be a text of nginx.')
  return [
    `set $${name} 1;`,
    ...open.map((condition) => `if (${condition}) { set $${name} 0; }`),
    `error_page 503 @${name};`,
    `if ($${name}) { return 503; }`,
    `location @${name} {`,
    'default_type text/html;',
    'charset utf-8;',
    `add_header Retry-After ${maintenancePage.retryAfterSeconds ?? 0} always;`,
    'add_header Cache-Control no-store always;',
    `add_header ${closedHeader} ${reason} always;`,
    `return 503 '${page}';`,
    '}',
    '',
  ].join('\n')
}

interface MaintenanceChange {
  readonly kind: SiteKind
  readonly wanted: boolean
  /** Whether the server does. */
  isOn(): Promise<boolean>
  /** `closed`: while something goes on, beside maintenance, for nobody may write. */
  readonly reason?: Reason
}

/** Shows visitors the maintenance page, or does so no more. */
export async function setMaintenance(
  context: EeContext,
  site: SiteRef,
  { kind, wanted, isOn, reason = 'maintenance' }: MaintenanceChange,
  signal?: AbortSignal,
): Promise<void> {
  const pass = wanted ? randomBytes(24).toString('hex') : ''
  await mutate(context, site.server, {
    id: `ee-${site.id}-${reason}`,
    script: 'maintenance',
    args: [site.domain, reason],
    signal,
    variables: {
      pass,
      rules: wanted ? maintenanceRules(kind, pass, reason) : '',
    },
    assertPossible: () => enabledSite(context, site, signal),
    isDone: async () => (await isOn()) === wanted,
  })
}
