import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import type { WordPress } from '../wordpress/use-wordpress.ts'
import { CoreCard } from './core-card.tsx'

const api = apiServer()
const site = { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', server: 'srv', engine: 'local' } as Site
const facts = { version: '6.5.5', update: '6.6', previous: null } as WordPressFacts
const called = (method: string) => api.calls.filter((call) => call.body['method'] === method)
const offers = (reached: boolean) => [
  { version: '6.6', stored: false, state: reached ? 'latest' : null },
  { version: '6.5.5', stored: true, state: null },
  { version: '6.4.3', stored: false, state: reached ? 'insecure' : null },
]
let reached: boolean

beforeEach(() => {
  reached = true
  api.on('run_doc_method', (call) =>
    call.body['method'] === 'wordpress_versions'
      ? { message: { installed: '6.5.5', reached, offers: offers(reached) } }
      : { message: { job: 'job1' } },
  )
  api.on('resource/Site/s1', () => ({ data: site }))
})

const open = (
  changes: Partial<WordPressFacts> = {},
  held: string | null = null,
  lacking: string | null = null,
  jobsHeld = held,
) =>
  renderAs(
    owner,
    <TooltipProvider>
      <CoreCard
        wordpress={{ site, held, jobsHeld, heldFor: () => lacking } as unknown as WordPress}
        facts={{ ...facts, ...changes }}
      />
    </TooltipProvider>,
  )

test('the newest version is chosen, and its job starts', async () => {
  const { user } = open()
  await user.click(screen.getByRole('button', { name: 'Update to 6.6…' }))
  const dialog = await screen.findByRole('dialog')
  await user.click(await within(dialog).findByRole('button', { name: 'Update to 6.6' }))
  await waitFor(() => expect(called('set_core')[0]?.body['args']).toEqual({ version: '6.6' }))
})

test('an older version warns, the installed one says that its files come back', async () => {
  reached = false
  const { user } = open()
  await user.click(screen.getByRole('button', { name: 'Change version…' }))
  const dialog = await screen.findByRole('dialog')
  expect(await within(dialog).findByText(/The original files of the installed version/)).toBeTruthy()
  expect(within(dialog).getByText(/can’t be reached/)).toBeTruthy()
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Version' }), '6.4.3')
  expect(within(dialog).getByText(/known by now/)).toBeTruthy()
  await user.click(within(dialog).getByRole('button', { name: 'Change to 6.4.3' }))
  await waitFor(() => expect(called('set_core')[0]?.body['args']).toEqual({ version: '6.4.3' }))
})

test('rolling back keeps the content, unless the database is asked for, which says what is lost', async () => {
  const { user } = open({ previous: { version: '6.4.3', at: 1_790_000_000, database: true } })
  await user.click(screen.getByRole('button', { name: 'Roll back to 6.4.3…' }))
  const dialog = await screen.findByRole('alertdialog')
  expect(within(dialog).queryByText(/written since is lost/)).toBeNull()
  await user.click(within(dialog).getByRole('radio', { name: /put the database back/ }))
  expect(within(dialog).getByText(/written since is lost/)).toBeTruthy()
  await user.click(within(dialog).getByRole('button', { name: 'Roll back' }))
  await waitFor(() => expect(called('roll_back_wordpress')[0]?.body['args']).toEqual({ database: 1 }))
})

test('nothing opens while the site can’t be changed', async () => {
  const { user } = open({}, 'Wait for the job that is in progress.')
  await user.click(screen.getByRole('button', { name: 'Change version…' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('while a job is in progress, versions can’t be read, and rolling back waits for it', async () => {
  const busy = 'Wait for the job that is in progress.'
  const { user } = open({ previous: { version: '6.4.3', at: 1_790_000_000, database: false } }, busy, null, null)
  await user.click(screen.getByRole('button', { name: 'Update to 6.6…' }))
  await user.click(screen.getByRole('button', { name: 'Change version…' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByRole('button', { name: 'Change version…' }).title).toBe(busy)
  await user.click(screen.getByRole('button', { name: 'Roll back to 6.4.3…' }))
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Roll back' }))
  await waitFor(() => expect(called('roll_back_wordpress')).toHaveLength(1))
})

test('a server that cannot change the version says so', async () => {
  const reason = 'Sites on this server don’t support this.'
  const { user } = open({}, null, reason)
  expect(screen.getByText(reason)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Update to 6.6…' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})
