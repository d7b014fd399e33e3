import { expect, test } from 'vitest'
import { createCatalog } from '../i18n/catalog.ts'
import { matchRoute, routeTitle, screensFor, trimmedPath, type Route } from './route-match.ts'

const route = (path: string, title: string, crumbs?: Route['crumbs']): Route => ({
  path,
  title,
  layout: 'shell',
  page: () => null,
  ...(crumbs && { crumbs }),
})
const routes = [
  route('/site/:site', 'Site {site}', [{ title: 'Sites', href: '/site' }, { title: '{site}' }]),
  route('/', 'Dashboard'),
  route('/site/create', 'Create Site'),
]

test('an exact match takes precedence over a parameter, whatever the order', () => {
  expect(matchRoute(routes, '/site/create')?.route.title).toBe('Create Site')
  expect(matchRoute(routes, '/site/create/')?.route.title).toBe('Create Site')
  expect(matchRoute(routes, '/site/abc')?.params).toEqual({ site: 'abc' })
})
test.each([
  ['/site/a%40b.c', { site: 'a@b.c' }],
  ['/site/100%', { site: '100%' }],
])('the parameters of %s are decoded', (path, params) => expect(matchRoute(routes, path)?.params).toEqual(params))
test('`create` is not a document name, even where no such screen exists', () => {
  const servers = [route('/server', 'Servers'), route('/server/:server', 'Server details')]
  expect(matchRoute(servers, '/server/created')?.params).toEqual({ server: 'created' })
  expect(matchRoute(servers, '/server/create')).toBeNull()
})
test.each(['/site//', '/other/abc', '/sitex', '/site/abc/'.repeat(2)])('%s does not match a site', (path) =>
  expect(matchRoute(routes, path)).toBeNull(),
)
test('titles and crumbs include path parameters', () => {
  expect(routeTitle(matchRoute(routes, '/site/abc'))).toEqual({
    title: 'Site abc',
    crumbs: [{ title: 'Sites', href: '/site' }, { title: 'abc' }],
  })
  expect(routeTitle(matchRoute(routes, '/'))).toEqual({ title: 'Dashboard', crumbs: [{ title: 'Dashboard' }] })
})
test('unknown paths have the 404 title and crumb', () => {
  expect(matchRoute(routes, '/site/abc/more')).toBeNull()
  expect(routeTitle(null)).toEqual({ title: '404 - Page Not Found', crumbs: [{ title: '404 - Page Not Found' }] })
})
test('trailing slashes are removed', () =>
  expect(['/', '//', '/site/', '/site'].map(trimmedPath)).toEqual(['/', '/', '/site', '/site']))

test('catalog messages: values and plurals; a missing value leaves its placeholder', () => {
  const t = createCatalog({ hello: 'Hello {name}', sites: '{count, plural, one {# site} other {# sites}}' })
  expect(t('hello', { name: 'Ann' })).toBe('Hello Ann')
  expect(t('hello')).toBe('Hello {name}')
  expect([t('sites', { count: 0 }), t('sites', { count: 1 }), t('sites', { count: 2 })]).toEqual([
    '0 sites',
    '1 site',
    '2 sites',
  ])
})
test('the platform’s screens exist only for platform admins', () => {
  const all: readonly Route[] = [...routes, { ...route('/platform', 'Platform'), access: 'platform' }]
  expect(matchRoute(screensFor(all, { platformAdmin: true }), '/platform')?.route.title).toBe('Platform')
  expect(routeTitle(matchRoute(screensFor(all, { platformAdmin: false }), '/platform')).title).toBe(
    '404 - Page Not Found',
  )
  expect(screensFor(all, { platformAdmin: false })).toEqual(routes)
})
