import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { showLimit, useLimitNotice } from '#web/documents/actions/limit-notice.ts'
import { Checklist } from './checklist.tsx'

const api = apiServer()
let chosen = 'local'
beforeEach(() => {
  showLimit(null)
  chosen = 'local'
  api.on('frappe.client.get_count', () => ({ message: 1 }))
  api.on('easydash.api.backups.stores', () => ({
    message: {
      default: chosen,
      stores: [
        { store: 'local', label: null, status: null, usage: null, price: null, unknown: null },
        { store: 'k1', label: 'Archive', status: 'Connected', usage: null, price: null, unknown: null },
      ],
    },
  }))
})

const open = (session = owner) =>
  renderAs(session, <Checklist organization={{ name: 'acme', title: 'Acme', owner: session === owner }} />)

test('where backups go is still to be chosen, and done once it is a bucket', async () => {
  const { unmount } = open()
  const link = await screen.findByRole('link', { name: 'Choose' })
  expect(link.getAttribute('href')).toBe('/organization#backup_providers')
  expect(screen.getByRole('img', { name: '2 of 5 steps done' })).toBeTruthy()
  unmount()
  chosen = 'k1'
  open()
  expect(await screen.findByRole('img', { name: '3 of 5 steps done' })).toBeTruthy()
  const row = screen.getAllByRole('listitem').find((one) => within(one).queryByText('Choose where backups go'))
  expect(row?.textContent).toBe('Choose where backups goArchiveDone')
})

test('who cannot choose it is not asked', async () => {
  open(member)
  expect(await screen.findByRole('img', { name: '2 of 3 steps done' })).toBeTruthy()
  expect(screen.queryByText('Choose where backups go')).toBeNull()
  expect(api.calls.some(({ name }) => name === 'easydash.api.backups.stores')).toBe(false)
})

const withServers = (session: typeof owner) => ({ ...session, modules: { ee: true, wpc: false } })

test('an organization without a server that is ready gets the way to one', async () => {
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  open(withServers(owner))
  const link = await screen.findByRole('link', { name: 'Create a server' })
  expect(link.getAttribute('href')).toBe('/server/create')
  expect(screen.queryByRole('link', { name: 'Create a site' })).toBeNull()
})

test.each([
  ['a member', withServers(member), /^An admin of the organization can create one/],
  ['the owner without the module', owner, /^The platform admin can let/],
])('who cannot create a server learns who can: %s', async (_who, session, text) => {
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  open(session)
  expect(await screen.findByText(text)).toBeTruthy()
  expect(screen.queryByRole('link', { name: /^Create/ })).toBeNull()
})

test('at the limit of servers, the way to one says so', async () => {
  function Limit() {
    return <output>{useLimitNotice()}</output>
  }
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  const subscription = {
    ...{ plans_enabled: true, plan_name: 'Free', is_free_tier: true, is_canceled: false, cancelation_date: null },
    ...{ usage: { site: 0, server: 1 }, limits: { site: 3, server: 1 } },
  }
  const { user } = renderAs(
    { ...withServers(owner), subscription },
    <>
      <Checklist organization={{ name: 'acme', title: 'Acme', owner: true }} />
      <Limit />
    </>,
  )
  await user.click(await screen.findByRole('button', { name: 'Create a server' }))
  expect(screen.getByRole('status').textContent).toBe('server')
})
