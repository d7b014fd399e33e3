/** List notifications go only to users who may read the document. */
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tx } from '#server/contracts/transaction.ts'
import { boot, type Booted } from '../booted.ts'
import { createDialer, next, untilProcessed } from '../sockets/socket-client.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { SavedViewDoctype } from '#shared/doctypes/saved-view.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

const names = ['owner', 'admin', 'manager', 'member', 'other'] as const
type Name = (typeof names)[number]
const addressOf = (name: Name) => `${name}@acme.example`
const lists = [
  'Saved View',
  'Site',
  'Server',
  'Activity',
  'Job',
  'File',
  'API Token',
  'Organization',
  'Member Invite',
  'User',
  'Organization Member',
  'User Meta',
  'SSH Key',
  'Plan',
  'Site Quota',
]

let booted: Booted
const sockets = new Map<Name, Socket>()
const dialer = createDialer(() => booted)
const inSystem = <T>(fn: (tx: Tx) => Promise<T>, user = 'System') =>
  booted.documents.transaction({ ...booted.system, user }, fn)

beforeAll(async () => {
  booted = await boot()
  await booted.organization('acme', {
    [addressOf('admin')]: 'Organization Admin',
    [addressOf('manager')]: 'Organization Manager',
    [addressOf('member')]: 'Organization User',
    [addressOf('other')]: 'Organization User',
  })
  await inSystem((tx) => tx.update(OrganizationDoctype, 'acme', { plan: 'Enterprise' }))
  for (const name of names) {
    const socket = await dialer.connected(await booted.signedIn(addressOf(name)))
    for (const list of lists) socket.emit('doctype_subscribe', list)
    await untilProcessed(socket)
    sockets.set(name, socket)
  }
})
afterAll(async () => {
  dialer.closeAll()
  await booted.close()
  expect(booted.logged).toEqual([])
})

interface ListUpdate {
  doctype: string
  name: string
}

/** Which users are notified about which documents of a doctype while something happens. */
async function receivedUpdates(doctype: string, act: () => Promise<unknown>): Promise<Record<string, string[]>> {
  const received: Record<string, string[]> = {}
  const markers = names.map((name) => {
    const socket = sockets.get(name) as Socket
    const note = (update: ListUpdate) => void (update.doctype === doctype && (received[name] ??= []).push(update.name))
    socket.on('list_update', note)
    return next(socket, 'test_marker').then(() => socket.off('list_update', note))
  })
  await act()
  for (const name of names) booted.wire.emitToUser(addressOf(name), 'test_marker', {})
  await Promise.all(markers)
  return received
}
const who = async (doctype: string, act: () => Promise<unknown>) =>
  Object.keys(await receivedUpdates(doctype, act)).toSorted()

const makeView = (shared: 0 | 1) =>
  inSystem(
    async (tx) =>
      (await tx.insert(SavedViewDoctype, { organization: 'acme', title: 'x', shared, reference_doctype: 'Site' })).name,
    addressOf('member'),
  )

it('a private view notifies only its owner, a shared one everyone; its end notifies those who could read it', async () => {
  let name = ''
  expect(await who('Saved View', async () => (name = await makeView(0)))).toEqual(['member'])
  expect(await who('Saved View', () => inSystem((tx) => tx.update(SavedViewDoctype, name, { shared: 1 })))).toEqual(
    [...names].toSorted(),
  )
  expect(await who('Saved View', () => inSystem((tx) => tx.update(SavedViewDoctype, name, { shared: 0 })))).toEqual([
    'member',
  ])
  expect(await who('Saved View', () => inSystem((tx) => tx.delete(SavedViewDoctype, name)))).toEqual(['member'])
})

it('an entry of the log goes to who may read what it is about', async () => {
  expect(await who('Activity', () => makeView(0))).toEqual([])
  expect(await who('Activity', () => makeView(1))).toEqual(['admin', 'owner'])
  const own = { organization: 'acme', title: 'y', reference_doctype: 'Site' }
  expect(await who('Activity', () => inSystem((tx) => tx.insert(SavedViewDoctype, own), addressOf('admin')))).toEqual([
    'admin',
  ])
})

it('a site and its deletion notify its owner, the users it is shared with, and managers', async () => {
  const server = await inSystem((tx) =>
    tx.insert(ServerDoctype, { organization: 'acme', hostname: 'a.test', server_category: 'production' }),
  )
  const values = { organization: 'acme', domain: 'blog', server: server.name, site_type: 'html', status: 'Live' }
  let site = ''
  const make = () => inSystem(async (tx) => (site = (await tx.insert('Site', values)).name), addressOf('member'))
  expect(await who('Site', make)).toEqual(['admin', 'manager', 'member', 'owner'])
  const share = { organization: 'acme', share_doctype: 'Site', share_name: site, user: addressOf('other'), read: 1 }
  await inSystem((tx) => tx.insert('DocShare', share, { activity: false }))
  expect(await who('Site', () => inSystem((tx) => tx.update(SiteDoctype, site, { title: 'z' })))).toEqual(
    [...names].toSorted(),
  )
  expect(await who('Server', () => inSystem((tx) => tx.update(ServerDoctype, server.name, { os: 'z' })))).toEqual([
    'admin',
    'manager',
    'other',
    'owner',
  ])
  expect(await who('Site', () => inSystem((tx) => tx.delete(SiteDoctype, site)))).toEqual([...names].toSorted())
})

it('changes in between are reported by the same rule', async () => {
  const changed = async (name: Name) =>
    ((await (sockets.get(name) as Socket).emitWithAck('catch_up', 0)) as string[]).filter((key) => key.includes('Job'))
  const values = { organization: 'acme', job_type: 'x', status: 'Done', label: 'x' }
  await inSystem((tx) => tx.insert('Job', values, { activity: false }), addressOf('other'))
  for (const name of ['owner', 'admin', 'manager', 'other'] as const)
    expect(await changed(name)).toEqual(['doctype:Job'])
  expect(await changed('member')).toEqual([])
})

it('joining and leaving are reported to all members, member rows to those who read them', async () => {
  const email = 'new@acme.example'
  await booted.person(email)
  const row = { parent: 'acme', parenttype: 'Organization', parentfield: 'members', user: email }
  let member = ''
  const join = () =>
    inSystem(async (tx) => {
      member = (await tx.insert(OrganizationMemberDoctype, { ...row, organization_role: 'Organization User' })).name
    })
  const leave = () => inSystem((tx) => tx.delete(OrganizationMemberDoctype, member))
  expect(await who('User', join)).toEqual([...names].toSorted())
  expect(await who('User', leave)).toEqual([...names].toSorted())
  expect(await who('Organization Member', join)).toEqual(['admin', 'manager', 'owner'])
  expect(await who('Organization Member', leave)).toEqual(['admin', 'manager', 'owner'])
})

it('a changed account notifies its colleagues, and its own page once', async () => {
  const address = addressOf('member')
  const socket = sockets.get('owner') as Socket
  socket.emit('doc_subscribe', 'User', address)
  await untilProcessed(socket)
  const pages: ListUpdate[] = []
  const note = (update: ListUpdate) => void (update.doctype === 'User' && pages.push(update))
  socket.on('doc_update', note)
  const changed = () => inSystem((tx) => tx.update(UserDoctype, address, { first_name: 'Renamed' }))
  expect(await who('User', changed)).toEqual([...names].toSorted())
  expect(pages.map(({ name }) => name)).toEqual([address])
  socket.off('doc_update', note)
})

const sshKey = (name: Name) => ({
  ...{ parent: addressOf(name), parenttype: 'User Meta', parentfield: 'ssh_key', title: 'laptop' },
  public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f',
})

it('a row of a user, and its end, notifies that user only', async () => {
  let key = ''
  const make = () => inSystem(async (tx) => (key = (await tx.insert('SSH Key', sshKey('member'))).name))
  expect(await who('SSH Key', make)).toEqual(['member'])
  expect(await who('SSH Key', () => inSystem((tx) => tx.update('SSH Key', key, { title: 'x' })))).toEqual(['member'])
  expect(await who('SSH Key', () => inSystem((tx) => tx.delete('SSH Key', key)))).toEqual(['member'])
  const meta = () => inSystem((tx) => tx.update('User Meta', addressOf('manager'), { github_username: 'm' }))
  expect(await who('User Meta', meta)).toEqual(['manager'])
  let file = ''
  const values = { file_name: 'a.txt', is_private: 1 }
  const upload = () => inSystem(async (tx) => (file = (await tx.insert('File', values)).name), addressOf('other'))
  expect(await who('File', upload)).toEqual(['other'])
  expect(await who('File', () => inSystem((tx) => tx.delete('File', file)))).toEqual(['other'])
})

it('a row of the platform notifies everybody who can list it', async () => {
  const limits = () => inSystem((tx) => tx.update('Plan', 'Free', { features: 'x' }))
  expect(await who('Plan', limits)).toEqual([...names].toSorted())
  expect(await who('Site Quota', () => inSystem((tx) => tx.update('Site Quota', 'html', { files: 7 })))).toEqual([])
})

it('a deleted row of a user counts as a change in between, for that user', async () => {
  const changed = async (name: Name) =>
    ((await (sockets.get(name) as Socket).emitWithAck('catch_up', 0)) as string[]).includes('doctype:SSH Key')
  expect(await changed('admin')).toBe(false)
  const { name } = await inSystem((tx) => tx.insert('SSH Key', sshKey('admin')))
  expect(await changed('admin')).toBe(true)
  await inSystem((tx) => tx.delete('SSH Key', name))
  expect([await changed('admin'), await changed('owner')]).toEqual([true, false])
})
