import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer, type Call, type Reply } from '#tests/web/api.ts'
import { member, owner, renderAs, type Rendered } from '#tests/web/screen.tsx'
import { TransferDialog } from './transfer-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'

const api = apiServer()
const away: Reply = { status: 403, body: { exception: 'Away' } }
let arrive: (reply: Reply) => void = () => undefined
const pending = () => new Promise<Reply>((resolve) => (arrive = resolve))
afterEach(() => arrive(away))
const site = { name: 's1', domain: 'blog', title: null, owner: 'ann@acme.example' }
const nothing = () => undefined
/** Requests for all members; names of individual users are requested with filters. */
const isMembers = ({ body }: Call) => body['doctype'] === 'User' && body['filters'] === undefined

let members: () => Reply | Promise<Reply>
let privileged: () => Reply | Promise<Reply>
beforeEach(() => {
  privileged = () => ({ message: ['bea@acme.example'] })
  api.on('frappe.client.get_list', (call) => (isMembers(call) ? members() : { message: [] }))
  api.on('run_doc_method', ({ body }) =>
    body['method'] === 'list_privileged'
      ? privileged()
      : { message: [{ user: 'dan@acme.example', full_name: 'Dan Eve', read: 1, write: 0, share: 0 }] },
  )
})
const dialog = () => screen.findByRole('dialog')
const memberField = { name: 'Add a member' }
async function share(typed: string, session = owner): Promise<Rendered> {
  const rendered = renderAs(
    session,
    <ShareDialog type={SiteDoctype} site={site} onClose={nothing} onTransfer={nothing} />,
  )
  await rendered.user.type(await within(await dialog()).findByRole('combobox', memberField), typed)
  return rendered
}

test('transferring: members that failed to load can be requested again', async () => {
  members = () => away
  const { user } = renderAs(owner, <TransferDialog site={site} onClose={nothing} />)
  expect(await screen.findByText('The members did not load')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Retry' }))
  await waitFor(() => expect(api.calls.filter(isMembers)).toHaveLength(2))
})

test('transferring: nobody gets the site by one press', async () => {
  members = () => ({ message: [{ name: 'bea@acme.example', full_name: 'Bea' }] })
  const { user } = renderAs(owner, <TransferDialog site={site} onClose={nothing} />)
  const confirm = await screen.findByRole('button', { name: 'Transfer ownership' })
  await user.click(confirm)
  expect(await screen.findByText('Choose who gets the site.')).toBeTruthy()
  const transfers = () => api.calls.filter(({ body }) => body['method'] === 'set_owner').map(({ body }) => body['args'])
  expect(transfers()).toEqual([])
  await user.selectOptions(screen.getByRole('combobox', { name: /New owner/ }), 'bea@acme.example')
  await user.click(confirm)
  await waitFor(() => expect(transfers()).toEqual([{ new_owner: 'bea@acme.example' }]))
})

test.each([
  ['nobody fits', () => ({ message: [] }), 'No matching members.'],
  ['they are on their way', pending, 'Loading'],
  ['they could not be read', () => away, 'The members did not load: Away'],
])('sharing: explains why there are no suggestions when %s', async (_when, reply, text) => {
  members = reply
  await share('be')
  await waitFor(async () => expect((await dialog()).textContent).toContain(text))
})

const allMembers = [
  { name: 'ann@acme.example', full_name: 'Ann Berg' },
  { name: 'bea@acme.example', full_name: 'Bea Berg' },
  { name: 'dan@acme.example', full_name: 'Dan Eve' },
  { name: 'cem@acme.example', full_name: 'Cem Fox' },
]
/** Suggested members. The access of a share has options too. */
const suggested = () => {
  const list = screen.queryByRole('listbox', { name: 'Members' })
  return list
    ? within(list)
        .queryAllByRole('option')
        .map((one) => one.textContent)
    : []
}

test.each([
  ['ann@acme.example', 'Ann Berg owns this site.'],
  ['Dan', 'It is shared with Dan Eve already.'],
  ['bea', 'Bea Berg is an admin or manager and can access every site.'],
])('sharing: members who already have access are not suggested, and for %s it explains why', async (typed, text) => {
  members = () => ({ message: allMembers })
  const { user } = await share('acme')
  await waitFor(() => expect(suggested()).toEqual(['Cem Fox (cem@acme.example)']))
  await user.clear(screen.getByRole('combobox', memberField))
  await user.type(screen.getByRole('combobox', memberField), typed)
  await waitFor(async () => expect((await dialog()).textContent).toContain(text))
  expect(suggested()).toEqual([])
})

test.each([
  ['on its way', pending, 'Loading'],
  ['not readable', () => away, 'The members did not load: Away'],
])('sharing: nobody is suggested while the list of members with access is %s', async (_when, reply, text) => {
  members = () => ({ message: allMembers })
  privileged = reply
  await share('cem')
  await waitFor(async () => expect((await dialog()).textContent).toContain(text))
  expect(suggested()).toEqual([])
})

test('sharing: members with a share see their own access, and change only that of others', async () => {
  members = () => ({ message: allMembers })
  const { user } = await share('acme', { ...member, user: 'dan@acme.example' })
  await waitFor(() => expect(suggested()).toEqual(['Cem Fox (cem@acme.example)']))
  await user.clear(screen.getByRole('combobox', memberField))
  await user.type(screen.getByRole('combobox', memberField), 'dan')
  await waitFor(async () => expect((await dialog()).textContent).toContain('You have access already.'))
  const row = screen.getByRole('row', { name: /^Dan Eve · You/ })
  expect(within(row).getByText('Can view')).toBeTruthy()
  expect(within(row).queryByRole('combobox')).toBeNull()
  expect(within(row).queryByRole('button')).toBeNull()
})

test('sharing: an owner changes the access of a member, or ends it', async () => {
  members = () => ({ message: allMembers })
  await share('acme')
  const row = await screen.findByRole('row', { name: /^Dan Eve/ })
  expect(within(row).getByRole('combobox', { name: 'Access of Dan Eve' })).toBeTruthy()
  expect(within(row).getByRole('button', { name: 'Remove access of Dan Eve' })).toBeTruthy()
})
