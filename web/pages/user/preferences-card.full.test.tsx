import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { User } from '#shared/doctypes/user.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { shortcutsEnabled } from '#web/lib/browser/shortcuts.ts'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { PreferencesCard } from './preferences-card.tsx'

const api = apiServer()
const user = { name: owner.user, language: 'en', time_zone: null } as User
const meta = `resource/User%20Meta/${encodeURIComponent(String(owner.user))}`

function Toasts() {
  return <output>{useToasts().history.map(({ title }) => title)}</output>
}
/** Renders the card and waits for the preference of the account. */
async function setup(singleKeys: boolean) {
  let preferences: unknown = { single_keys: singleKeys }
  api.on(`resource/User/${encodeURIComponent(String(owner.user))}`, () => ({ data: user }))
  api.on(meta, ({ body }) => {
    preferences = body['preferences'] ?? preferences
    return { data: { name: owner.user, preferences } }
  })
  const rendered = renderAs(
    owner,
    <>
      <PreferencesCard user={user} />
      <Toasts />
    </>,
  )
  await waitFor(() => expect(tick().checked).toBe(singleKeys))
  await waitFor(() => expect(api.calls.map(({ name }) => name)).toContain(meta))
  return rendered
}
const tick = () => screen.getByRole<HTMLInputElement>('checkbox')

beforeEach(() => {
  localStorage.clear()
  clearToasts()
})

test('single-key shortcuts are turned off for the account, as in the shortcut sheet', async () => {
  const { user: person } = await setup(true)
  await person.click(tick())
  await waitFor(() => expect(api.calls.at(-1)?.body).toEqual({ preferences: { single_keys: false } }))
  expect(tick().checked).toBe(false)
  expect(shortcutsEnabled()).toBe(false)
})

test('shortcuts turned off in another browser are shown as turned off here', async () => {
  await setup(false)
  expect(shortcutsEnabled()).toBe(false)
})

test('a preference that fails to save is reported and reverted', async () => {
  const { user: person } = await setup(true)
  api.on(meta, () => ({ status: 503, body: { exception: 'Away' } }))
  await person.click(tick())
  expect(await screen.findByText('The preference was not saved')).toBeTruthy()
  expect(shortcutsEnabled()).toBe(true)
})
