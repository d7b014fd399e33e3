import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { FilterTriple } from '#shared/doctype.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { FilterEditor } from './filter-editor.tsx'

const api = apiServer()
const applied = vi.fn<(filter: FilterTriple) => void>()

/** Renders the editor in an organization with so many servers; their list is searched and limited as on the server. */
async function setup(servers: number, initial: FilterTriple) {
  const all = Array.from({ length: servers }, (_, at) => ({ name: `id-${at}`, hostname: `host-${at}` }))
  api.on('frappe.client.get_list', ({ body }) => {
    const [filter] = (body['filters'] ?? []) as FilterTriple[]
    const fit = all.filter((row) => {
      if (!filter) return true
      const [, operator, value] = filter
      return operator === 'in'
        ? (value as string[]).includes(row.name)
        : row.hostname.includes(String(value).replaceAll('%', ''))
    })
    return { message: fit.slice(0, Number(body['limit_page_length'])) }
  })
  const rendered = renderAs(
    owner,
    <FilterEditor type={SiteDoctype} initial={initial} onApply={applied} onClose={() => undefined} />,
  )
  await waitFor(() => expect(choices().length).toBeGreaterThanOrEqual(Math.min(servers, 200)))
  return rendered
}
const choices = () => [...document.querySelectorAll<HTMLInputElement>('input[type=checkbox], input[type=radio]')]
const labels = (): string[] => choices().map((input) => input.labels?.[0]?.textContent ?? '')
const note = (): string | null | undefined => document.querySelector('p[role=status]')?.textContent
const search = (text: string) => fireEvent.change(screen.getByRole('searchbox'), { target: { value: text } })
const searches = (): unknown[] =>
  api.calls.flatMap(({ body }) => {
    const [filter] = (body['filters'] ?? []) as FilterTriple[]
    return filter?.[1] === 'like' ? [filter[2]] : []
  })
const tick = (label: string) => fireEvent.click(screen.getByLabelText(label))

it('a field with few values is searched locally', async () => {
  await setup(200, ['server', 'in', []])
  expect(labels()).toHaveLength(200)
  expect(note()).toBeUndefined()
  search('host-199')
  expect(labels()).toEqual(['host-199'])
  expect(searches()).toEqual([])
})

it('a field with more values says so, and searches on the server once typing stops', async () => {
  await setup(500, ['server', 'in', []])
  expect(labels()).toHaveLength(200)
  expect(note()).toBe('The first 200 of more values. Search to find the others.')
  search('host-45')
  // Known values match immediately; the search runs later.
  expect(labels()).toEqual(['host-45'])
  expect(note()).toBe('Searching…')
  expect(searches()).toEqual([])
  await waitFor(() => expect(note()).toBe('11 values match.'))
  expect(searches()).toEqual(['%host-45%'])
  expect(labels()).toHaveLength(11)
  search('host')
  await waitFor(() => expect(note()).toBe('More than these 200 match. Type more of the name.'))
})

it('wildcards are searched literally', async () => {
  await setup(500, ['server', 'in', []])
  search('50%_a\\b')
  await waitFor(() => expect(searches()).toEqual([String.raw`%50\%\_a\\b%`]))
})

it('selected values keep their name and position, even beyond the first values', async () => {
  const { user, container } = await setup(500, ['server', 'in', ['id-450']])
  await waitFor(() => expect(labels().slice(0, 2)).toEqual(['host-450', 'host-0']))
  search('host-460')
  await waitFor(() => expect(labels()).toContain('host-460'))
  tick('host-460')
  search('')
  await waitFor(() => expect(labels().slice(0, 2)).toEqual(['host-450', 'host-460']))
  expect(container.textContent).not.toContain('id-4')
  tick('host-450')
  await waitFor(() => expect(labels()[0]).toBe('host-460'))
  await user.click(screen.getByRole('button', { name: 'Apply' }))
  expect(applied).toHaveBeenLastCalledWith(['server', 'in', ['id-460']])
})

it('a single value is searched the same way', async () => {
  const { user } = await setup(500, ['server', '=', 'id-450'])
  await waitFor(() => expect(screen.getAllByRole('radio')).toHaveLength(201))
  search('host-460')
  await waitFor(() => expect(labels()).toContain('host-460'))
  tick('host-460')
  await user.click(screen.getByRole('button', { name: 'Apply' }))
  expect(applied).toHaveBeenLastCalledWith(['server', '=', 'id-460'])
})

it('a time is filtered by its age, or by whether it is known', async () => {
  await setup(0, ['backup_at', 'timespan', 'older than 1 day'])
  const [comparison, value] = [screen.getByLabelText('Comparison'), () => screen.getByLabelText('Value')]
  expect([...comparison.querySelectorAll('option')].map(({ textContent }) => textContent)).toEqual(['Age', 'Is'])
  expect(value()).toHaveProperty('value', 'older than 1 day')
  fireEvent.change(comparison, { target: { value: 'is' } })
  fireEvent.change(value(), { target: { value: 'not set' } })
  fireEvent.click(screen.getByRole('button', { name: 'Apply' }))
  await waitFor(() => expect(applied).toHaveBeenLastCalledWith(['backup_at', 'is', 'not set']))
})
