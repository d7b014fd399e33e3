import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, realpath, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endProcessesOf, processesOf } from '#server/platform/processes/user-processes.ts'
import { firstUid, openSiteUsers, type SiteUsers } from './site-users.ts'

let folder: string
let logged: unknown[]
const log = { error: () => undefined, warn: (...line: unknown[]) => void logged.push(line), info: () => undefined }
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'users-')))
  logged = []
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const rootOf = (installation: string): string => join(folder, installation)
/** Opens the register like an installation with these sites. */
async function open(installation: string, ...sites: string[]): Promise<SiteUsers> {
  for (const site of ['', ...sites]) await mkdir(join(rootOf(installation), site), { recursive: true })
  return openSiteUsers(rootOf(installation), log, join(folder, 'register'))
}
const claims = async (): Promise<string[]> =>
  (await readdir(join(folder, 'register'))).filter((name) => /^\d+$/.test(name)).toSorted()

describe('users of sites', () => {
  it('are one for each site, of all installations of the machine', async () => {
    const [one, two] = [await open('one', 'site-a', 'site-b'), await open('two', 'site-c')]
    const uids = [await one.claim('site-a', null), await two.claim('site-c', null), await one.claim('site-b', null)]
    expect(new Set(uids).size).toBe(3)
    expect(uids.every((uid) => uid !== null && uid >= firstUid)).toBe(true)
  })

  it('stay those of the site at the next start, and are not given to who names them, too', async () => {
    const uid = await (await open('one', 'site-a')).claim('site-a', null)
    expect(await (await open('one', 'site-a')).claim('site-a', uid)).toBe(uid)
    const copied = await open('two', 'site-a')
    expect(await copied.claim('site-a', uid)).toBeNull()
    expect(await copied.claim('site-a', null)).not.toBe(uid)
  })

  it('of many sites are reserved together, except those of other users', async () => {
    const one = await open('one', 'site-a', 'site-b')
    const uids = new Map([
      ['site-a', (await one.claim('site-a', null)) ?? 0],
      ['site-b', (await one.claim('site-b', null)) ?? 0],
    ])
    const copied = await open('two', 'site-a', 'site-b')
    await one.release('site-b')
    expect([...(await copied.keep(uids))]).toEqual(['site-b'])
    expect([...(await one.keep(uids))]).toEqual(['site-a'])
  })

  it('are free again when their site is removed: released, deleted by hand, or with its whole installation', async () => {
    const one = await open('one', 'site-a')
    const uid = await one.claim('site-a', null)
    await one.release('site-a')
    expect(await claims()).toEqual([])
    expect(await (await open('two', 'site-b')).claim('site-b', uid)).toBe(uid)
    await rm(rootOf('two'), { recursive: true })
    expect(await one.claim('site-a', uid)).toBe(uid)
    await rm(join(rootOf('one'), 'site-a'), { recursive: true })
    const late = await open('three', 'site-c')
    // A site without a folder may be in the process of being created, but not forever.
    expect(await late.claim('site-c', uid)).toBeNull()
    await utimes(join(folder, 'register', String(uid)), 1, 1)
    expect(await late.claim('site-c', uid)).toBe(uid)
  })

  it('are kept while their owner is unknown', async () => {
    const uid = await (await open('one', 'site-a')).claim('site-a', null)
    await writeFile(join(rootOf('one'), 'site-a', 'site.json'), 'damaged')
    expect(await (await open('two', 'site-b')).claim('site-b', uid)).toBeNull()
  })

  it('are assigned without a register if none can be written, and then no processes are killed', async () => {
    await writeFile(join(folder, 'file'), '')
    const users = await openSiteUsers(rootOf('one'), log, join(folder, 'file', 'register'))
    expect(logged).toHaveLength(1)
    expect([await users.claim('site-a', null), await users.claim('site-b', null)]).toEqual([firstUid, firstUid + 1])
    // Would throw unless run as root, if it tried.
    await users.endProcesses('site-a')
    await users.endAllProcesses()
  })

  it.skipIf(process.getuid?.() !== 0)('never have processes of their own when they are given out', async () => {
    const users = await open('one', 'site-a', 'site-b')
    const uid = (await users.claim('site-a', null)) ?? 0
    await users.release('site-a')
    spawn('/bin/sleep', ['300'], { uid, gid: uid, cwd: '/', stdio: 'ignore' }).unref()
    while ((await processesOf(uid)).length === 0)
      await new Promise((resolve) => {
        setTimeout(resolve, 10)
      })
    expect(await users.claim('site-b', null)).not.toBe(uid)
    await endProcessesOf(uid)
  })
})
