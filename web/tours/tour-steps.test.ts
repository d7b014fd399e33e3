import { expect, test } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { listDefaults, readListState } from '#web/documents/query/list-state.ts'
import type { TourName } from '#web/lib/session/tour-list.ts'
import { tourSteps, type TourViewer } from './tour-steps.ts'

const everything = [
  ...['/', '/site', '/site/backups', '/server', '/server/create', '/server/:server'],
  ...['/organization', '/user', '/billing'],
]
const nobody: TourViewer = { owner: false, admin: false, manager: false, ee: true, hasSites: true, server: 'v1' }
const people = {
  owner: { ...nobody, owner: true, admin: true },
  admin: { ...nobody, admin: true },
  manager: { ...nobody, manager: true },
  member: nobody,
}
const count = (tour: TourName, viewer: TourViewer, screens = everything) => tourSteps(tour, viewer, screens).length

// From docs/contracts/screens.md, if all screens of the tours exist.
test.each([
  ['onboarding', [7, 6, 5, 3]],
  ['onboardingv2', [7, 6, 4, 3]],
  ['features', [10, 10, 6, 5]],
] as const)('%s has its steps by role', (tour, counts) =>
  expect(Object.values(people).map((viewer) => count(tour, viewer))).toEqual(counts),
)

test('a step about the rows of a list needs one', () => {
  const names = (hasSites: boolean) =>
    tourSteps('features', { ...nobody, hasSites }, everything).map(({ name }) => name)
  expect([names(true), names(false)]).toEqual([
    ['actions', 'magic_login', 'saved_views', 'backups', 'job_drawer'],
    ['actions', 'saved_views', 'backups', 'job_drawer'],
  ])
})

test('graphs are shown of a server that exists, to those who can open it', () => {
  const graphs = (viewer: TourViewer) =>
    tourSteps('features', viewer, everything).find(({ name }) => name === 'server_graphs')
  expect(graphs(people.manager)?.path).toBe('/server/v1#graphs')
  for (const without of [nobody, { ...people.manager, server: null }, { ...people.manager, ee: false }])
    expect(graphs(without)).toBeUndefined()
})

test('steps about the list of sites open it without the filter that the account remembers', () => {
  const steps = tourSteps('features', nobody, everything)
  const paths = steps.flatMap(({ path }) => (path?.startsWith('/site?') ? [path] : []))
  expect(paths).toHaveLength(2)
  const remembered = listDefaults(SiteDoctype, { status: ['=', 'Failed'] })
  for (const path of paths) {
    const { pathname, searchParams } = new URL(path, 'http://x')
    expect(pathname).toBe('/site')
    expect(readListState(searchParams, SiteDoctype, remembered).filters).toEqual(SiteDoctype.list?.filters)
  }
})

test('no step leads to a missing screen, or to servers if their module is off', () => {
  const names = (viewer: TourViewer, screens: readonly string[]) =>
    tourSteps('onboardingv2', viewer, screens).map(({ name }) => name)
  expect(names(people.owner, ['/', '/site', '/server'])).not.toContain('add_server')
  expect(names(people.owner, ['/', '/site'])).not.toContain('cloud_provider')
  expect(names({ ...people.owner, ee: false }, everything)).not.toContain('add_server')
})

test('the step about creating a site follows the first site, and the number of steps stays', () => {
  const screens = [...everything, '/site/create']
  const stop = (firstSite: TourViewer['firstSite']) => {
    const steps = tourSteps('onboardingv2', { ...nobody, ...(firstSite && { firstSite }) }, screens)
    expect(steps).toHaveLength(3)
    return steps.find(({ name }) => name === 'create_site')
  }
  expect(stop(undefined)?.opensForm).toBeUndefined()
  expect(stop('ahead')).toMatchObject({ path: '/site', form: '/site/create', opensForm: true })
  expect(stop('put_off')).toEqual(stop(undefined))
  const made = stop({ name: 'a1b2' })
  expect(made).toMatchObject({ path: '/site/a1b2' })
  // It has the number and name of the step it continues.
  expect(made?.title).toBe(`${String(stop('ahead')?.title)}: here it is`)
})

test('highlights a visible element on phones, too, where the sidebar is hidden', () => {
  const shell = (['onboarding', 'onboardingv2', 'features'] as const)
    .flatMap((tour) => tourSteps(tour, people.owner, everything))
    .filter(({ path }) => path === undefined)
  expect(shell.length).toBeGreaterThan(5)
  for (const { target } of shell) {
    const parts = target.split(', ').filter((part) => !part.startsWith('aside') && part !== '.tour-switcher')
    expect(parts, target).not.toEqual([])
  }
})
