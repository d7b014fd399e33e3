import { render, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { useServers, useSites, useUsers } from './use-rows.ts'

const api = apiServer()
const search = 'frappe.desk.reportview.get'
const report = (keys: string[], ...values: unknown[][]) => ({ message: { keys, values, user_info: {} } })

function Shown({ term }: { term: string | null }) {
  const sites = useSites(term)
  useServers(term)
  useUsers(term)
  const { history } = useToasts()
  return (
    <>
      {sites.loading ? 'loading' : sites.rows.map(({ domain }) => domain).join(' ')}
      {history.map(({ id, title, description }) => (
        <i key={id}>{`${title}: ${description}`}</i>
      ))}
    </>
  )
}

beforeEach(clearToasts)

test('finds sites by name, title and alias, servers and people, eight of each', async () => {
  api.on(search, () => report([]))
  const { container } = render(<Shown term="50%" />)
  expect(container.textContent).toBe('loading')
  await waitFor(() => expect(container.textContent).toBe(''))
  expect(api.calls.map(({ body }) => [body['doctype'], body['page_length']])).toEqual([
    ['Site', 8],
    ['Site', 8],
    ['Server', 8],
    ['User', 8],
  ])
  expect(api.calls.slice(0, 3).map(({ body }) => body['or_filters'] ?? body['filters'])).toEqual([
    [
      ['domain', 'like', '%50\\%%'],
      ['title', 'like', '%50\\%%'],
    ],
    [['usr_alias_domains', 'like', '%50\\%%']],
    [['hostname', 'like', '%50\\%%']],
  ])
})

test('an empty search sends no request', async () => {
  api.on(search, () => report([]))
  const { container, rerender } = render(<Shown term={null} />)
  rerender(<Shown term="s" />)
  await waitFor(() => expect(container.textContent).toBe(''))
  expect(api.calls.map(({ body }) => body['doctype'])).toEqual(['Site', 'Site', 'Server', 'User'])
})

test('a site found by both queries is listed once', async () => {
  const keys = ['name', 'domain']
  api.on(search, ({ body }) => {
    if (body['doctype'] !== 'Site') return report([])
    return JSON.stringify(body['or_filters'] ?? '').includes('"domain"')
      ? report(keys, ['a1', 'shop'])
      : report(keys, ['a1', 'shop'], ['b2', 'store'])
  })
  render(<Shown term="s" />)
  expect(await screen.findByText('shop store')).toBeTruthy()
})

test('each failed source is reported once, under its fixed title', async () => {
  api.on(search, () => ({ status: 429, body: { exception: 'Too many requests.' } }))
  const { container, rerender } = render(<Shown term="s" />)
  const shownTitles = () => [...container.querySelectorAll('i')].map((entry) => entry.textContent)
  await waitFor(() => expect(shownTitles()).toHaveLength(4))
  rerender(<Shown term="s" />)
  const titles = ['Error Fetching Sites by Name', 'Error Fetching Sites by Alias Domain', 'Error Fetching Servers']
  expect(shownTitles()).toHaveLength(4)
  for (const title of titles) expect(shownTitles()).toContain(`${title}: Too many requests.`)
})
