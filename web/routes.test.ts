import { expect, test } from 'vitest'
import { shortcutGroups } from '#shared/shortcuts.ts'
import { matchRoute, routeTitle } from '#web/lib/routing/route-match.ts'
import { routes } from './routes.tsx'

/** Path, title and parent breadcrumb as in docs/contracts/screens.md, section 2; the job list and the backups are additions. */
const specified: readonly [path: string, title: string, above?: readonly [title: string, href: string]][] = [
  ['/', 'Dashboard'],
  ['/login', 'Login'],
  ['/signup', 'Signup'],
  ['/forgot-password', 'Forgot Password'],
  ['/invitation', 'Invitation'],
  ['/verify-email', 'Verify Email'],
  ['/sso', 'Organization login'],
  ['/sso/abc', 'Organization login'],
  ['/sso/callback', 'Organization login'],
  ['/site', 'Sites'],
  ['/site/abc', 'Site details', ['Sites', '/site']],
  ['/site/create', 'Create Site', ['Sites', '/site']],
  ['/site/backups', 'Backups', ['Sites', '/site']],
  ['/site/wp-cloud', 'WP Cloud', ['Sites', '/site']],
  ['/server', 'Servers'],
  ['/server/abc', 'Server details', ['Servers', '/server']],
  ['/server/create', 'Create Server', ['Servers', '/server']],
  ['/job', 'Jobs'],
  ['/notification', 'Notifications'],
  ['/bulk/abc', 'Bulk action', ['Jobs', '/job']],
  ['/user', 'Users'],
  ['/user/ann%40acme.example', 'User details', ['Users', '/user']],
  ['/organization', 'Organization Settings'],
  ['/organization/create', 'Create Organization'],
  ['/organization/acme', 'Switch Organization'],
  ['/billing', 'Billing'],
]

test.each(specified)('%s has the title %s', (path, title, above) => {
  const crumbs = [...(above ? [{ title: above[0], href: above[1] }] : []), { title }]
  expect(routeTitle(matchRoute(routes, path))).toEqual({ title, crumbs })
  expect(routeTitle(matchRoute(routes, `${path}/`)).title).toBe(title)
})

test('all other paths have the 404 title', () => {
  for (const path of ['/nowhere', '/site/a/b', '/user/create'])
    expect(routeTitle(matchRoute(routes, path)).title).toBe('404 - Page Not Found')
})

test('keys are written alike: letters in upper case, each shortcut once', () => {
  const shortcuts = [
    ...shortcutGroups.flatMap((group) => group.shortcuts),
    ...routes.flatMap((one) => one.shortcut ?? []),
  ]
  const keys = shortcuts.map((shortcut) => shortcut.keys.join(' '))
  expect(keys.filter((key) => /\b[a-z]\b/.test(key))).toEqual([])
  expect(new Set(keys).size).toBe(keys.length)
})
