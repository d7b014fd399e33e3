import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import type { Stream, StreamPeer } from '#server/contracts/socket-stream.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import type { ServerTerminal } from '#shared/responses/server-terminals.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { addMember, testClock } from '#tests/support/jobs.ts'
import { startServersFixture } from '#tests/support/servers.ts'
import { generateFirstHostKey, userData } from '../provision/user-data.ts'

const clock = testClock()
let t: Awaited<ReturnType<typeof startServersFixture>>
let server: string
let ada: Session

const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => t.documents.transaction(systemSession(), work)
const fresh = (session: Session): Session => ({ ...session, id: `session of ${session.user}`, reauthAt: Date.now() })

beforeAll(async () => {
  t = await startServersFixture({ clock, machines: 1 })
  const key = generateFirstHostKey()
  const machine = { name: 'web-1', vcpu: 2, ramBytes: 4 * 1024 ** 3, diskBytes: 40 * 1024 ** 3 }
  const address = t.cloud.start({ ...machine, keys: [t.installationLine], userData: userData(key) }) ?? ''
  // The machine is there once its files are.
  const files = ['etc/ssh/ssh_host_ed25519_key', 'root/.ssh/authorized_keys']
  await vi.waitFor(() => Promise.all(files.map((path) => readFile(join(t.folder, address, path)))), 30_000)
  server = await inTransaction(async (tx) => {
    const values = { organization: 'acme', hostname: 'web-1.acme.example', status: 'Healthy', engine: 'ee' } as const
    const doc = await tx.insert(ServerDoctype, { ...values, public_ipv4: address, ssh_host_key: key.publicKey })
    await addMember(tx, 'acme', { email: 'mo@acme.example', name: 'Mo', role: 'Organization Manager' })
    await addMember(tx, 'acme', { email: 'ada@acme.example', name: 'Ada', role: 'Organization Admin' })
    return doc.name
  })
})
beforeEach(() => {
  ada = fresh(sessionOf('ada@acme.example', 'acme'))
})
afterAll(() => t?.stop())

const act = (action: string, args: Record<string, unknown> = {}, by = ada) =>
  t.documents.runAction(by, 'Server', server, action, args)
const allowed = async (by = ada) => ((await act('open_terminal', {}, by)) as { terminal: string }).terminal
const listed = async () => (await act('get_terminals')) as unknown as ServerTerminal[]
const recordingOf = async (terminal: string) =>
  ((await act('get_terminal_recording', { terminal })) as { text: string }).text

/** The page of a terminal. Without `reads`, it takes nothing. */
function page(reads = true) {
  let seen = ''
  const changed: (() => void)[] = []
  const ended = Promise.withResolvers<Readonly<Record<string, unknown>>>()
  const peer: StreamPeer = {
    async send(bytes) {
      if (!reads) await ended.promise
      seen += bytes.toString()
      for (const one of changed.splice(0)) one()
    },
    end: ended.resolve,
  }
  return {
    peer,
    ended: ended.promise,
    async until(expected: RegExp): Promise<string> {
      while (!expected.test(seen)) await new Promise<void>((resolve) => changed.push(resolve))
      return seen
    },
  }
}

async function opened(shown = page(), by = ada): Promise<{ id: string; stream: Stream } & ReturnType<typeof page>> {
  const id = await allowed(by)
  const [kind] = t.servers.streams ?? []
  if (!kind) throw new Error('There is no stream.')
  const stream = await kind.open(by, { terminal: id, columns: 80, rows: 24 }, shown.peer)
  return { id, stream, ...shown }
}

test('an admin types into a shell of the server; what it showed is recorded', async () => {
  const terminal = await opened()
  await terminal.stream.receive('id; read -s secret; echo done\n')
  await terminal.until(/uid=0\(root\)/)
  expect(await listed()).toMatchObject([{ id: terminal.id, user: 'ada@acme.example', ended: null, end: null }])
  await terminal.stream.receive('stty -echo; read -r secret; stty echo; echo finished\n')
  await terminal.until(/secret; stty echo/)
  await terminal.stream.receive('correct-horse-9\n')
  await terminal.until(/finished\r\n/)
  await terminal.stream.receive('echo api_key=abcdefghijkl; exit 3\n')
  expect(await terminal.ended).toEqual({ end: 'exited', code: 3 })
  const text = await recordingOf(terminal.id)
  expect(text).toContain('uid=0(root)')
  expect(text).not.toMatch(/correct-horse-9|abcdefghijkl|\u001B|\r/)
  const [entry] = await listed()
  expect(entry).toMatchObject({ end: 'exited', characters: text.length })
  expect(entry?.ended).not.toBeNull()
  const activities = await inTransaction((tx) => tx.list('Activity', [['reference_name', '=', server]]))
  expect(activities.filter(({ action }) => action === 'Server.terminal')).toMatchObject([
    { actor: 'ada@acme.example', result: 'Done' },
  ])
})

test('nobody opens the terminal of somebody else, a second time, or without a fresh password', async () => {
  const manager = fresh(sessionOf('mo@acme.example', 'acme'))
  await expect(act('open_terminal', {}, manager)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(act('open_terminal', {}, { ...ada, reauthAt: null })).rejects.toMatchObject({ field: 'password' })
  await expect(act('get_terminal_recording', { terminal: 'x' }, { ...ada, reauthAt: null })).rejects.toMatchObject({
    field: 'password',
  })
  const id = await allowed()
  const [kind] = t.servers.streams ?? []
  const { peer } = page()
  const open = (by: Session) => kind?.open(by, { terminal: id }, peer)
  for (const terminal of ['\0', { toString: 1 }, null])
    await expect(kind?.open(ada, { terminal }, peer)).rejects.toMatchObject({ code: 'gone' })
  for (const other of [{ ...ada, id: 'another session' }, fresh(t.owner), { ...ada, id: null }])
    await expect(open(other)).rejects.toMatchObject({ code: 'gone' })
  const stream = await open(ada)
  await expect(open(ada)).rejects.toMatchObject({ code: 'gone' })
  stream?.close()
})

test('only a few are open at once on a server', async () => {
  await expect.poll(async () => (await listed()).every(({ ended }) => ended !== null)).toBe(true)
  const three = await Promise.all([opened(), opened(), opened()])
  await expect(allowed()).rejects.toMatchObject({ code: 'limit_reached' })
  three[0].stream.close()
  await three[0].ended
  const next = await opened()
  for (const { stream } of [...three, next]) stream.close()
  await Promise.all([...three, next].map(({ ended }) => ended))
})

test('it ends without input, when rights end, with the server and when Easydash stops', async () => {
  const idle = await opened()
  clock.pass(15 * 60_000 + 5000)
  expect(await idle.ended).toMatchObject({ end: 'idle' })

  const demoted = await opened()
  const role = (organization_role: string) =>
    inTransaction(async (tx) => {
      const member = await tx.find(OrganizationMemberDoctype, [['user', '=', ada.user]])
      await tx.update('Organization Member', String(member?.name), { organization_role })
    })
  await role('Organization Manager')
  clock.pass(5000)
  expect(await demoted.ended).toMatchObject({ end: 'denied' })
  await role('Organization Admin')

  const gone = await opened()
  const values = (status: Server['status']) =>
    inTransaction((tx) => tx.updateColumns(ServerDoctype, server, { status }))
  await values('Decommissioning')
  clock.pass(5000)
  expect(await gone.ended).toMatchObject({ end: 'denied' })
  await values('Healthy')

  // Another process that found it silent for too long said so.
  const given = await opened()
  await inTransaction(({ trx }) => sql`update easydash_terminal set ended = seen where id = ${given.id}`.execute(trx))
  clock.pass(5000)
  expect(await given.ended).toMatchObject({ end: 'denied' })

  const lost = await opened()
  t.cloud.dropConnections()
  expect(await lost.ended).toMatchObject({ end: 'lost' })

  const last = await opened()
  await last.stream.receive('echo the last words\n')
  await last.until(/words\r\n/)
  await t.servers.stop()
  expect(await last.ended).toMatchObject({ end: 'stopped' })
  expect(await recordingOf(last.id)).toContain('the last words')
})

test('a server with endless output waits for the page, and hides nothing in its recording', async () => {
  const blocked = await opened(page(false))
  await blocked.stream.receive('exec yes\n')
  blocked.stream.close()
  await blocked.ended
  const flooded = await opened()
  await flooded.stream.receive('head -c 3000000 /dev/zero | tr "\\0" x; echo; echo over\n')
  await flooded.until(/x\r\nover\r\n/)
  await flooded.stream.receive('echo after the flood\n')
  await flooded.until(/the flood\r\n/)
  await flooded.stream.receive('exit\n')
  await flooded.ended
  const text = await recordingOf(flooded.id)
  expect(text.length).toBeLessThan(200_000)
  expect(text).toMatch(/\[\d+ bytes were not recorded\]/)
  expect(text).toContain('after the flood')
})

test('a changed host key: nothing is sent', async () => {
  const { publicKey } = generateFirstHostKey()
  await inTransaction((tx) =>
    tx.updateColumns(ServerDoctype, server, { ssh_host_key: publicKey, status: 'Disconnected' }),
  )
  await expect(opened()).rejects.toMatchObject({ kind: 'host_key_changed' })
  expect((await listed())[0]).toMatchObject({ end: 'lost', characters: 0 })
})
