import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import type { SshKey } from '#shared/doctypes/ssh-key.ts'
import type { UserMeta } from '#shared/doctypes/user-meta.ts'
import { createAccountsFixture, type AccountsFixture } from '#tests/support/accounts.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { renameUser } from '../rename-user.ts'

/** Generated for this test by `ssh-keygen -t ed25519`; the fingerprint is the output of `ssh-keygen -l`. */
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAUKotChLnDQOp8cZx3BrTHrYYMgYbxsyt06BtBrJT3Q'
const fingerprint = 'SHA256:0IMgnA9gLSW+wH/8Cvot0YANuAIsMvMpSmoV5JgOzZo'
const other = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINqmpHU0ZE1JqVC3STQEF1xWWbL5PSo6x6QObjVX0n75'

let s: AccountsFixture
let ann: Session
let eve: Session
const sessionFor = async (email: string) => {
  await s.person(email)
  return sessionOf(email, null)
}
beforeEach(async () => {
  s = await createAccountsFixture()
  ann = await sessionFor('ann@example.com')
  eve = await sessionFor('eve@example.com')
})
afterEach(() => s.close())

const keysOf = async (session: Session) =>
  ((await s.documents.get(session, 'User Meta', session.user)) as unknown as UserMeta).ssh_key

test('a key in the own settings gets fingerprint, title and time; the comment is not kept', async () => {
  await s.documents.save(ann, 'User Meta', 'ann@example.com', {
    ssh_key: [{ public_key: `${key} ann@laptop\n`, fingerprint: 'SHA256:mine', added: '2020-01-01' }],
  })
  const [row] = await keysOf(ann)
  expect(row).toMatchObject({ title: 'ann@laptop', public_key: key, parent: 'ann@example.com' })
  expect(row?.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
  expect(row?.added).not.toContain('2020')
})

test('a key of its own: made, listed, renamed, deleted by its owner only', async () => {
  const made = (await s.documents.insert(ann, 'SSH Key', {
    title: ' My\tlaptop ',
    public_key: key,
  })) as unknown as SshKey
  expect(made).toMatchObject({
    title: 'My laptop',
    parent: 'ann@example.com',
    fingerprint: expect.any(String) as string,
  })
  expect(await keysOf(ann)).toHaveLength(1)
  expect(await s.documents.list(ann, 'SSH Key', { fields: ['title'] })).toEqual([{ title: 'My laptop' }])
  expect(await s.documents.list(eve, 'SSH Key', {})).toEqual([])
  for (const attempt of [
    () => s.documents.get(eve, 'SSH Key', made.name),
    () => s.documents.save(eve, 'SSH Key', made.name, { title: 'x' }),
    () => s.documents.delete(eve, 'SSH Key', made.name),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
  await s.documents.save(ann, 'SSH Key', made.name, { title: 'Old laptop' })
  await s.documents.delete(ann, 'SSH Key', made.name)
  expect(await keysOf(ann)).toEqual([])
})

test('users cannot add keys to another account', async () => {
  const row = { public_key: key, parent: 'ann@example.com', parenttype: 'User Meta', parentfield: 'ssh_key' }
  await expect(s.documents.insert(eve, 'SSH Key', row)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(
    s.documents.save(eve, 'User Meta', 'ann@example.com', { ssh_key: [{ public_key: key }] }),
  ).rejects.toMatchObject({ code: 'not_found' })
  expect(await keysOf(ann)).toEqual([])
})

test('an unverified account takes no key, as a row of its settings neither', async () => {
  const unverified = { ...ann, verified: false }
  const ssh_key = [{ public_key: key }]
  for (const attempt of [
    () => s.documents.insert(unverified, 'SSH Key', { public_key: key }),
    () => s.documents.save(unverified, 'User Meta', ann.user, { ssh_key }),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' })
  expect(await keysOf(ann)).toEqual([])
})

test('keys go along to another address: who gets the old one finds none', async () => {
  await s.documents.insert(ann, 'SSH Key', { public_key: key })
  await s.documents.transaction(s.system, (tx) => renameUser(tx, ann.user, 'ann@new.example'))
  expect(await keysOf(sessionOf('ann@new.example', null))).toMatchObject([{ parent: 'ann@new.example' }])
  expect(await keysOf(await sessionFor(ann.user))).toEqual([])
})

test('allows at most fifty keys, also for concurrent requests', async () => {
  const keyNumber = (n: number) => {
    const bytes = Buffer.from(key.split(' ')[1] as string, 'base64')
    bytes.writeUInt32BE(n, bytes.length - 4)
    return `ssh-ed25519 ${bytes.toString('base64')}`
  }
  const ssh_key = Array.from({ length: 48 }, (_, n) => ({ public_key: keyNumber(n) }))
  await s.documents.save(ann, 'User Meta', ann.user, { ssh_key })
  const tries = await Promise.allSettled(
    Array.from({ length: 8 }, (_, n) => s.documents.insert(ann, 'SSH Key', { public_key: keyNumber(100 + n) })),
  )
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(await keysOf(ann)).toHaveLength(50)
})

test('a key is there once, and is a real one', async () => {
  await s.documents.insert(ann, 'SSH Key', { public_key: key })
  await expect(s.documents.insert(ann, 'SSH Key', { public_key: `${key} again` })).rejects.toMatchObject({
    code: 'invalid',
    field: 'public_key',
  })
  await s.documents.insert(ann, 'SSH Key', { public_key: other })
  for (const public_key of ['', 'ssh-rsa AAAA', `${key}\n${other}`])
    await expect(s.documents.insert(ann, 'SSH Key', { public_key })).rejects.toMatchObject({ field: 'public_key' })
  expect(await keysOf(ann)).toHaveLength(2)
})

test('the fingerprint is the one people compare', async () => {
  const made = await s.documents.insert(ann, 'SSH Key', { public_key: key })
  expect(made['fingerprint']).toBe(fingerprint)
})

test.each([[[null]], [['text']], [[[]]], [[{}]], ['text'], [{}]])(
  'rows that are none (%j) are refused at the field',
  async (ssh_key) => {
    await expect(s.documents.save(ann, 'User Meta', 'ann@example.com', { ssh_key })).rejects.toMatchObject({
      code: 'invalid',
      field: expect.stringMatching(/ssh_key|public_key/) as string,
    })
  },
)
