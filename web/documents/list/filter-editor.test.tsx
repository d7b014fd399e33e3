import { act } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { FilterTriple } from '#shared/doctype.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { ListOptions } from '#web/lib/api/api.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import type * as Data from '#web/lib/api/frappe.tsx'
import { FilterEditor } from './filter-editor.tsx'
import type * as Actions from '../actions/use-actions.ts'

const page = testRender()

/** The organization's servers, as the list returns them. */
const servers = vi.hoisted(() => ({ count: 0, asked: [] as ListOptions[] }))
vi.mock('#web/lib/api/frappe.tsx', async (original) => {
  const rows = (options: ListOptions) => {
    servers.asked.push(options)
    const all = Array.from({ length: servers.count }, (_, at) => ({ name: `id-${at}`, hostname: `host-${at}` }))
    const [field, operator, value] = options.filters?.[0] ?? []
    const fit = all.filter((row) => {
      if (operator === 'in') return (value as string[]).includes(row.name)
      return field === undefined || row.hostname.includes(String(value).replaceAll('%', ''))
    })
    return { data: fit.slice(0, options.limit), error: null }
  }
  const useList = (doctype: string | null, options: ListOptions = {}) =>
    doctype === null ? { data: undefined, error: null } : rows(options)
  return { ...(await original<typeof Data>()), useList }
})
vi.mock('../actions/use-actions.ts', async (original) => ({
  ...(await original<typeof Actions>()),
  useViewer: () => ({ user: 'owner@acme.example', roles: ['Owner', 'Organization Admin'] }),
}))

beforeEach(() => {
  vi.useFakeTimers()
  servers.asked = []
})
afterEach(() => vi.useRealTimers())

const applied = vi.fn<(filter: FilterTriple) => void>()
function draw(initial: FilterTriple): void {
  act(() =>
    page.root.render(<FilterEditor type={SiteDoctype} initial={initial} onApply={applied} onClose={() => undefined} />),
  )
}
const labels = (): string[] =>
  [...page.place.querySelectorAll('input[type=checkbox], input[type=radio]')].map(
    (input) => page.place.querySelector(`label[for="${input.id}"]`)?.textContent ?? '',
  )
const note = (): string | null | undefined => page.place.querySelector('p[role=status]')?.textContent
function type(text: string): void {
  const box = page.place.querySelector<HTMLInputElement>('input[type=search]')
  if (!box) throw new Error('There is no search')
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(box, text)
    box.dispatchEvent(new Event('input', { bubbles: true }))
  })
}
const searches = (): unknown[] =>
  servers.asked.flatMap(({ filters }) => (filters?.[0]?.[1] === 'like' ? [filters[0][2]] : []))
function tick(label: string): void {
  const at = labels().indexOf(label)
  act(() => page.place.querySelectorAll<HTMLElement>('input[type=checkbox], input[type=radio]')[at]?.click())
}
const rest = (): void => act(() => void vi.advanceTimersByTime(300))

it('a field with few values is searched here', () => {
  servers.count = 200
  draw(['server', 'in', []])
  expect(labels()).toHaveLength(200)
  expect(note()).toBeUndefined()
  type('host-199')
  rest()
  expect(labels()).toEqual(['host-199'])
  expect(searches()).toEqual([])
})

it('with more values it says so, and the server looks for the others once typing rests', () => {
  servers.count = 500
  draw(['server', 'in', []])
  expect(labels()).toHaveLength(200)
  expect(note()).toBe('The first 200 of more values. Search to find the others.')
  type('host-45')
  // Known values match immediately; the search runs later.
  expect(labels()).toEqual(['host-45'])
  expect(note()).toBe('Looking for values that fit…')
  expect(searches()).toEqual([])
  rest()
  expect(new Set(searches())).toEqual(new Set(['%host-45%']))
  expect(labels()).toHaveLength(11)
  expect(note()).toBe('11 values fit.')
  type('host')
  rest()
  expect(note()).toBe('More than these 200 fit. Type more of the name.')
})

it('signs of patterns are looked for as they are', () => {
  servers.count = 500
  draw(['server', 'in', []])
  type('50%_a\\b')
  rest()
  expect(searches().at(-1)).toBe(String.raw`%50\%\_a\\b%`)
})

it('what is chosen keeps its name and its place, also beyond the first values', async () => {
  servers.count = 500
  draw(['server', 'in', ['id-450']])
  expect(labels().slice(0, 2)).toEqual(['host-450', 'host-0'])
  type('host-460')
  rest()
  tick('host-460')
  type('')
  expect(labels().slice(0, 2)).toEqual(['host-450', 'host-460'])
  expect(page.place.textContent).not.toContain('id-4')
  tick('host-450')
  expect(labels()[0]).toBe('host-460')
  await act(async () => page.place.querySelector('form')?.requestSubmit())
  expect(applied).toHaveBeenLastCalledWith(['server', 'in', ['id-460']])
})

it('a single value is looked for in the same way', async () => {
  servers.count = 500
  draw(['server', '=', 'id-450'])
  expect(page.place.querySelectorAll('input[type=radio]')).toHaveLength(201)
  type('host-460')
  rest()
  tick('host-460')
  await act(async () => page.place.querySelector('form')?.requestSubmit())
  expect(applied).toHaveBeenLastCalledWith(['server', '=', 'id-460'])
})
