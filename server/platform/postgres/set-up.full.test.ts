import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { chown, link, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { isDatabaseUserId, ownUserIds } from '../processes/user-ids.ts'
import { APP_ROLE, SUPERUSER } from './passwords.ts'
import type { Postgres } from './postgres.ts'
import { setupCrashPoints } from './set-up.ts'
import { folders, query, run, start, useFolders } from './test-server.ts'

useFolders()
const isRoot = process.getuid?.() === 0
const cluster = () => join(folders.dataDir, 'postgres', 'cluster')
const passwordFile = () => join(folders.dataDir, 'postgres-passwords', APP_ROLE)
/** User id of the database of another installation. */
const otherUid = 53_900

/** Everything in the cluster, with the cluster itself first. */
const clusterFiles = () =>
  ['.', ...readdirSync(cluster(), { recursive: true, encoding: 'utf8' })].map((name) => join(cluster(), name))

/** A stopped database with two rows whose setup has to be repeated: a password is gone, and as root, it is a copy. */
async function copiedCluster(): Promise<void> {
  const postgres = await start()
  await query(
    postgres,
    "create table kept (id int generated always as identity, text text); insert into kept (text) values ('one'), ('two')",
  )
  await postgres.stop()
  await rm(passwordFile())
  if (isRoot) for (const path of clusterFiles()) lchownSync(path, otherUid, otherUid)
}

async function expectSecured(postgres: Postgres): Promise<void> {
  const { password: _password, ...open } = postgres.connection
  for (const user of [SUPERUSER, APP_ROLE]) {
    const stranger = new pg.Client({ ...open, user })
    await expect(stranger.connect()).rejects.toThrow('password')
    await stranger.end().catch(() => undefined)
  }
  expect(await query(postgres, 'select current_user, text from kept order by id')).toEqual([
    { current_user: APP_ROLE, text: 'one' },
    { current_user: APP_ROLE, text: 'two' },
  ])
  if (!isRoot) return
  const { uid } = statSync(`/proc/${postgres.pid}`)
  expect(isDatabaseUserId(uid)).toBe(true)
  expect(statSync(join(folders.dataDir, 'postgres'))).toMatchObject({ uid: 0, gid: uid })
  expect(statSync(join(folders.dataDir, 'postgres')).mode & 0o777).toBe(0o710)
  for (const path of clusterFiles()) {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found) expect([path, found.uid]).toEqual([path, uid])
  }
}

test.each(setupCrashPoints)('killed at "%s", the next start does it whole', async (point) => {
  if (point === 'change-owner' && !isRoot) return
  await copiedCluster()
  const killed = run('await start()', { env: { ...process.env, EASYDASH_CRASH_AT: `postgres/${point}` } })
  expect(await killed.ended).toEqual([null, 'SIGKILL'])
  await expectSecured(await start())
})

const long = process.env['EASYDASH_TEST_LONG'] === '1'
test.each(long ? setupCrashPoints.slice(1) : (['rules-written'] as const))(
  'a new one killed at "%s" is made all the same',
  async (point) => {
    const killed = run('await start()', { env: { ...process.env, EASYDASH_CRASH_AT: `postgres/${point}` } })
    expect(await killed.ended).toEqual([null, 'SIGKILL'])
    await query(await start(), 'create table kept ()')
  },
)

test('fails with a message while another process uses it, and leaves it alone', async () => {
  const first = await start()
  await rm(passwordFile())
  await expect(start()).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining(`another Easydash (process ${process.pid}) uses it`),
  })
  await query(first, 'create table still_mine ()')
})

describe.runIf(isRoot)('as root', () => {
  test('files outside the database keep their owner, even behind symlinks', async () => {
    await copiedCluster()
    const precious = join(folders.root, 'precious')
    await writeFile(precious, 'x')
    const folder = join(folders.root, 'folder')
    await mkdir(folder)
    await writeFile(join(folder, 'inside'), 'x')
    await symlink(precious, join(cluster(), 'a-link'))
    await symlink(folder, join(cluster(), 'base', 'linked-folder'))
    expect(await query(await start(), 'select count(*)::int as n from kept')).toEqual([{ n: 2 }])
    for (const path of [precious, folder, join(folder, 'inside')]) expect(statSync(path).uid).toBe(0)
  })

  test('continues an interrupted change of owner', async () => {
    await copiedCluster()
    const { postgres } = await ownUserIds(folders.dataDir, folders.systemDir)
    for (const path of clusterFiles().slice(-100)) lchownSync(path, postgres, postgres)
    await expectSecured(await start())
  })

  test('a file with a second name is refused, and the start says which', async () => {
    await copiedCluster()
    const shadow = join(folders.root, 'shadow')
    await writeFile(shadow, 'root')
    await link(shadow, join(cluster(), 'base', 'shadow'))
    for (const owner of [0, otherUid]) {
      await chown(shadow, owner, owner)
      await expect(start()).rejects.toMatchObject({ name: 'StartupError', message: expect.stringContaining('shadow') })
      expect(statSync(shadow).uid).toBe(owner)
    }
  })

  test('two installations share no account, and a copy of one gets its own', async () => {
    const first = await start()
    const here = folders.dataDir
    folders.dataDir = join(folders.root, 'second')
    const second = await start()
    const uidOf = ({ pid }: Postgres) => statSync(`/proc/${pid}`).uid
    expect(uidOf(first)).not.toBe(uidOf(second))
    await first.stop()
    await second.stop()
    const copy = join(folders.root, 'copy')
    expect(await once(spawn('cp', ['-a', here, copy]), 'exit')).toEqual([0, null])
    folders.dataDir = copy
    const third = await start()
    folders.dataDir = here
    expect(uidOf(third)).not.toBe(uidOf(await start()))
  })

  test("the server's account has no entry in the list of users, and the folder above is not its own", async () => {
    const postgres = await start()
    const { uid } = statSync(`/proc/${postgres.pid}`)
    expect(await readFile('/etc/passwd', 'utf8')).not.toContain(`:${uid}:`)
    expect(statSync(join(folders.dataDir, 'postgres')).uid).toBe(0)
  })
})
