/** Session changes travel between processes as notifications; a broken connection must not keep a permission alive. */
import { sql } from 'kysely'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let booted: Booted
const open: Socket[] = []

beforeAll(async () => {
  booted = await boot()
  await booted.organization('acme', {
    'leaver@acme.example': 'Organization Manager',
    'stayer@acme.example': 'Organization Manager',
  })
})
afterAll(async () => {
  for (const socket of open) socket.close()
  await booted.close()
})

const dial = async (browser: Browser) => {
  const socket = io(`http://localhost:${booted.port}/localhost`, {
    extraHeaders: { cookie: browser.cookieHeader() },
    forceNew: true,
  })
  open.push(socket)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('connect_error', reject)
  })
  return socket
}

it('closes the sockets of a removed member when the notification of it was lost, and nobody else’s', async () => {
  const leaver = await dial(await booted.signedIn('leaver@acme.example'))
  const stayer = await dial(await booted.signedIn('stayer@acme.example'))
  let stayed = true
  stayer.once('disconnect', () => (stayed = false))
  const ended = new Promise<void>((resolve) => {
    leaver.once('disconnect', () => resolve())
  })
  await booted.documents.transaction(booted.system, async (tx) => {
    const [row] = await tx.list(OrganizationMemberDoctype, [['user', '=', 'leaver@acme.example']])
    await tx.delete(OrganizationMemberDoctype, row?.name ?? '')
    const cut = await sql<{ cut: boolean }>`select pg_terminate_backend(pid) as cut from pg_stat_activity
      where datname = current_database() and query ilike 'listen %'`.execute(tx.trx)
    expect(cut.rows).toEqual([{ cut: true }])
  })
  await ended
  stayer.emit('ping')
  await new Promise<void>((resolve) => {
    stayer.once('pong', resolve)
  })
  expect(stayed).toBe(true)
})
