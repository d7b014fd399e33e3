import { expect, test } from 'vitest'
import type { Route } from '#web/lib/routing/route-match.ts'
import { signedOut, type Session } from '#web/lib/session/session.tsx'
import { pageOptions } from './use-groups.tsx'

const screens = [
  { path: '/site', title: 'Sites', layout: 'shell' },
  { path: '/site/create', title: 'Create Site' },
].map((screen) => ({ layout: 'shell', ...screen }) as unknown as Route)

const person = (used: number): Session => ({
  ...signedOut,
  user: 'ada@acme.example',
  verified: true,
  organization: { name: 'acme', title: 'Acme', role: 'Organization Admin', owner: true },
  subscription: {
    plans_enabled: true,
    plan_name: 'Free',
    is_free_tier: true,
    is_canceled: false,
    cancelation_date: null,
    usage: { site: used, server: 0 },
    limits: { site: 3, server: 0 },
  },
})
const creating = (used: number) => pageOptions(screens, person(used), 'create site')

test('"Create site" is offered among the pages while the plan allows another site', () => {
  expect(creating(2)).toMatchObject([{ title: 'Create Site', href: '/site/create' }])
})

test('with a full plan, "Create site" is shown as unavailable instead of hidden', () => {
  const [option] = creating(3)
  expect(option).toMatchObject({ title: 'Create Site' })
  expect(option?.href).toBeUndefined()
  expect(option?.run).toBeTypeOf('function')
})

test('pages are found by the words of their titles, not by those of actions', () => {
  const titles = (text: string) => pageOptions(screens, person(0), text).map(({ title }) => title)
  for (const text of ['archive', 'delete site', 'open admin of sites', 'delete']) expect(titles(text)).toEqual([])
  expect(titles('site cre')).toEqual(['Create Site'])
  expect(titles(' ')).toContain('Sites')
})
