import { fireEvent, screen, waitFor } from '@testing-library/react'
import * as Radix from 'radix-ui/dialog'
import { beforeEach, expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { keepTyped } from '#web/lib/browser/typed-ahead.ts'
import { routes } from '#web/routes.tsx'
import { ScreensProvider } from '../frame/screens.tsx'
import type { Option } from './option.ts'
import { SearchPanel } from './search-panel.tsx'

const api = apiServer()
const onChoose = vi.fn<(option: Option) => void>()

/** A site that a job is archiving. */
const site = { name: 'a', domain: 'sites.localhost', status: 'Archiving', site_type: 'html', locked_by_job: 'j1' }
/** Resolves when the server may respond. */
let response = Promise.withResolvers<void>()
beforeEach(() => {
  onChoose.mockReset()
  response = Promise.withResolvers<void>()
  api.on('frappe.desk.reportview.get', async ({ body }) => {
    await response.promise
    const found =
      body['doctype'] === 'Site' && /"%(?:site|sites|sites\.l|create)%"/.test(JSON.stringify(body['filters']))
    return { message: { keys: Object.keys(site), values: found ? [Object.values(site)] : [], user_info: {} } }
  })
  renderAs(
    owner,
    <ScreensProvider routes={routes}>
      <Radix.Root open>
        <SearchPanel
          isOpen
          mode="navigation"
          handlers={{
            openAdmin: () => undefined,
            start: () => undefined,
            help: () => undefined,
            toggleSidebar: () => undefined,
          }}
          onChoose={onChoose}
        />
      </Radix.Root>
    </ScreensProvider>,
  )
})

const field = () => screen.getByRole('combobox')
const type = (text: string) => fireEvent.change(field(), { target: { value: text } })
const status = () => screen.getByRole('status').textContent
/** Whether the browser still does what the key means in a text field. */
const press = (key: string): boolean => fireEvent.keyDown(field(), { key })
const selected = () => screen.getByRole('option', { selected: true })
const announced = () => document.getElementById(field().getAttribute('aria-activedescendant') ?? '')
const chosen = () => onChoose.mock.calls.map(([{ id }]) => id)

test('the status announces typing, loading, no results and the number of results in the specified words', async () => {
  expect(screen.getByPlaceholderText('Type / to search')).toBe(field())
  type('zzz')
  expect(status()).toBe('Searching...')
  await waitFor(() => expect(status()).toBe('Loading...'))
  response.resolve()
  await waitFor(() => expect(status()).toBe('No results found'))
  type('sites.l')
  await waitFor(() => expect(status()).toBe('1 result'))
})

test('arrow keys reach every result, and the first result is selected while results load', async () => {
  type('sites')
  await waitFor(() => expect(status()).toBe('Loading...'))
  expect(selected().textContent).toBe('Sites')
  response.resolve()
  await waitFor(() => expect(status()).toBe('2 results'))
  expect(selected().textContent).toBe('Sites')
  expect(announced()).toBe(selected())
  press('ArrowUp')
  expect(selected().textContent).toContain('sites.localhost')
  expect(announced()).toBe(selected())
  press('ArrowDown')
  expect(selected().textContent).toBe('Sites')
  press('ArrowDown')
  expect(selected().textContent).toContain('sites.localhost')
  press('ArrowDown')
  expect(selected().textContent).toBe('Sites')
  expect([press('Home'), press('End')]).toEqual([true, true])
  // With a modifier the keys are the system's.
  fireEvent.keyDown(field(), { key: 'ArrowDown', metaKey: true })
  expect(selected().textContent).toBe('Sites')
  press('Enter')
  expect(chosen()).toEqual(['page-/site'])
})

test('an action that is not possible now is not offered', async () => {
  response.resolve()
  type('archive sites')
  await waitFor(() => expect(status()).toMatch(/results?$|found$/))
  expect(document.body.textContent).not.toContain('Archive sites.localhost')
})

test('Enter pressed before results arrive applies to them', async () => {
  type('sites.l')
  await waitFor(() => expect(status()).toBe('Loading...'))
  press('Enter')
  expect(onChoose).not.toHaveBeenCalled()
  response.resolve()
  await waitFor(() => expect(chosen()).toEqual(['site-a']))
})

test('Enter pressed before results arrive opens a page only if its whole title was typed', async () => {
  type('site')
  await waitFor(() => expect(status()).toBe('Loading...'))
  expect(selected().textContent).toBe('Sites')
  press('Enter')
  expect(onChoose).not.toHaveBeenCalled()
  type('sites')
  press('Enter')
  expect(chosen()).toEqual(['page-/site'])
})

test('the document whose whole name was typed is selected, wherever its group is', async () => {
  response.resolve()
  Object.assign(site, { title: 'Create' })
  type('create')
  expect(selected().textContent).toBe('Create Site')
  await waitFor(() => expect(selected().textContent).toMatch(/^Createsites\.localhost/))
  expect(screen.getAllByRole('option')[0]?.textContent).toBe('Create Site')
  press('Enter')
  expect(chosen()).toEqual(['site-a'])
  // The recent pages name it as its page does.
  expect(onChoose.mock.calls[0]?.[0].visit).toEqual({ kind: 'site', title: 'Create', href: '/site/a' })
  Object.assign(site, { title: null })
})

test('what was typed before the field had the focus is its text', async () => {
  response.resolve()
  keepTyped(() => undefined)
  for (const key of ['s', 'i', 't', 'x', 'Backspace', 'e', 's', '.', 'l', 'Enter'])
    fireEvent.keyDown(document.body, { key })
  expect(field()).toHaveProperty('value', '')
  fireEvent.focus(field())
  expect(field()).toHaveProperty('value', 'sites.l')
  await waitFor(() => expect(chosen()).toEqual(['site-a']))
})

test('the pointer selects what it moves over, and a click beside the results leaves the focus in the field', async () => {
  type('sites')
  response.resolve()
  await waitFor(() => expect(status()).toBe('2 results'))
  const [, found] = screen.getAllByRole('option')
  fireEvent.pointerMove(found!)
  expect(selected()).toBe(found)
  const keepsFocus = (element: Element): boolean => !fireEvent.mouseDown(element)
  expect([keepsFocus(screen.getByText('Pages')), keepsFocus(field())]).toEqual([true, false])
})
