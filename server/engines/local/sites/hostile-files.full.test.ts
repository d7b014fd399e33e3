import { execFileSync, spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { link, lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { processesOf } from '#server/platform/processes/user-processes.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import { startFixture, until, type EngineFixture } from '../engine-fixture.ts'
import type { SiteRecord } from './site-record.ts'
import { chownTree } from '../trees/chown-tree.ts'
import { unpackFolders } from '../trees/unpack.ts'

const isRoot = process.getuid?.() === 0
/** Exceeds the log quota of a PHP site. */
const tooMuchLog = 'x'.repeat(11 * 1024 * 1024)

async function runAll(steps: readonly EngineStep[]): Promise<void> {
  const signal = AbortSignal.timeout(300_000)
  for (const step of steps)
    await step.run({ operationId: 'test', log: () => undefined, progress: () => undefined, signal })
}

async function userOf(fixture: EngineFixture, { id }: Pick<SiteSpec, 'id'>): Promise<number> {
  const text = await readFile(join(fixture.dataDir, 'local', 'sites', id, 'site.json'), 'utf8')
  return (JSON.parse(text) as SiteRecord).uid ?? process.getuid?.() ?? 0
}

describe('files that a site made', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  let outside: string
  let ahead = 0
  const folder = (...names: string[]): string => join(fixture.dataDir, 'local', 'sites', site.id, ...names)
  const log = (): string => folder('logs', 'php-errors.log')
  /** The next round of periodic work, which checks error logs. */
  const nextRound = async (): Promise<void> => {
    await fixture.fetch(site, '/')
    ahead += 61_000
    await fixture.engine.round()
  }
  beforeAll(async () => {
    fixture = await startFixture({ clock: () => Date.now() + ahead })
    site = await fixture.create({ siteType: 'php' })
  })
  afterAll(() => fixture.end())
  beforeEach(async () => {
    outside = await mkdtemp(join(tmpdir(), 'outside-'))
    await rm(log(), { force: true, recursive: true })
  })
  afterEach(() => rm(outside, { recursive: true, force: true }))

  describe('instead of the error log', () => {
    it('are emptied when they are too large, in the log of a plain PHP site too', async () => {
      await fixture.php(site, `error_log('begun');`)
      await writeFile(log(), tooMuchLog, { flag: 'a' })
      await nextRound()
      expect((await stat(log())).size).toBe(0)
    })

    it('are not touched if they link to another user’s file', async () => {
      const victim = join(outside, 'victim')
      await writeFile(victim, tooMuchLog)
      await symlink(victim, log())
      await nextRound()
      expect((await stat(victim)).size).toBe(tooMuchLog.length)
      expect(await fixture.errors(site)).toEqual([])
    })

    it.skipIf(!isRoot)('are not touched if they are a hard link to another user’s file', async () => {
      const victim = folder('..', `victim-of-${site.id}`)
      await writeFile(victim, tooMuchLog, { mode: 0o600 })
      await link(victim, log())
      await nextRound()
      expect((await stat(victim)).size).toBe(tooMuchLog.length)
      expect(await fixture.errors(site)).toEqual([])
      await unlink(victim)
    })

    it('do not block if they are a FIFO or a folder', async () => {
      execFileSync('mkfifo', [log()])
      expect(await fixture.errors(site)).toEqual([])
      await nextRound()
      await unlink(log())
      await mkdir(log())
      expect(await fixture.errors(site)).toEqual([])
      await nextRound()
    })
  })

  describe('requested by visitors', () => {
    it.skipIf(!isRoot)('are not served when the site could not read them itself', async () => {
      const secret = folder('..', `secret-of-${site.id}`)
      await writeFile(secret, 'root’s alone', { mode: 0o600 })
      await link(secret, folder('www', 'mine.txt'))
      await writeFile(folder('www', 'public.txt'), 'put here by the operator', { mode: 0o644 })
      expect((await fixture.fetch(site, '/mine.txt')).status).toBe(404)
      expect((await fixture.fetch(site, '/public.txt')).body).toBe('put here by the operator')
      await unlink(secret)
      await unlink(folder('www', 'mine.txt'))
    })

    it('are not served unless they are regular files, and do not block', async () => {
      execFileSync('mkfifo', [folder('www', 'fifo.txt')])
      expect((await fixture.fetch(site, '/fifo.txt')).status).toBe(404)
      await unlink(folder('www', 'fifo.txt'))
    })

    it('never come from elsewhere while a folder is swapped for a link', async () => {
      await writeFile(join(outside, 'page.txt'), 'secret')
      const turning = folder('www', 'turning')
      await mkdir(turning)
      await writeFile(join(turning, 'page.txt'), 'own')
      // In a separate process at full speed, as a site could.
      const swapper = spawn(
        process.execPath,
        [
          '-e',
          `const fs = require('node:fs'); const [, path, target] = process.argv
           process.stdout.write('begun')
           for (;;) {
             fs.renameSync(path, path + '-aside'); fs.symlinkSync(target, path)
             fs.unlinkSync(path); fs.renameSync(path + '-aside', path)
           }`,
          turning,
          outside,
        ],
        { stdio: ['ignore', 'pipe', 'ignore'] },
      )
      try {
        await new Promise((resolve) => {
          swapper.stdout.once('data', resolve)
        })
        const bodies = new Set<string>()
        for (let round = 0; round < 400; round += 1) bodies.add((await fixture.fetch(site, '/turning/page.txt')).body)
        expect(bodies).toContain('own')
        expect(bodies).not.toContain('secret')
      } finally {
        swapper.kill('SIGKILL')
        await new Promise((resolve) => {
          swapper.once('exit', resolve)
        })
      }
    })
  })
})

// Switching to the site's user requires root. Otherwise all sites belong to one user, who has full access to their files.
describe.skipIf(!isRoot)('processes of a site’s user', () => {
  let fixture: EngineFixture
  beforeAll(async () => {
    fixture = await startFixture()
  })
  afterAll(() => fixture.end())

  /** Processes that code which escaped from PHP would leave behind. */
  const spawnLeftover = async (uid: number): Promise<void> => {
    spawn('/bin/sh', ['-c', 'while :; do sleep 0.1; done'], {
      uid,
      gid: uid,
      cwd: '/',
      stdio: 'ignore',
      detached: true,
    })
    await until(async () => (await processesOf(uid)).length > 0)
  }

  it.each(['sleep', 'archive', 'delete', 'crash', 'stop'] as const)('end with its %s', async (how) => {
    const own = how === 'stop' ? await startFixture() : fixture
    const site = await own.create()
    const uid = await userOf(own, site)
    await spawnLeftover(uid)
    if (how === 'sleep') await own.engine.sleepAll()
    if (how === 'archive') await runAll(own.engine.archiveSteps(site))
    if (how === 'delete') await own.engine.destroy(site)
    if (how === 'crash') {
      const pid = own.engine.processes()[0]?.pid ?? 0
      process.kill(pid, 'SIGKILL')
      await until(() => own.engine.processes().every((one) => one.pid !== pid))
      // It restarts automatically, and then its main process is the only one.
      await until(async () => {
        const back = own.engine.processes()[0]?.pid
        return back !== undefined && (await processesOf(uid)).every((one) => one === back)
      })
    }
    if (how === 'stop') await own.end()
    const site2 = how === 'crash' ? (own.engine.processes()[0]?.pid ?? null) : null
    expect((await processesOf(uid)).filter((pid) => pid !== site2)).toEqual([])
    if (how !== 'stop') await own.engine.destroy(site)
  })

  it('end when an engine starts after one that was killed', async () => {
    const before = await startFixture()
    const site = await before.create({ siteType: 'html' })
    const uid = await userOf(before, site)
    await before.engine.stop()
    await spawnLeftover(uid)
    const after = await startFixture({ dataDir: before.dataDir })
    expect(await processesOf(uid)).toEqual([])
    await after.end()
    await before.end()
  })

  it('of another installation keep running: no two sites of a machine share a user', async () => {
    const other = await startFixture()
    const [one, two] = [await fixture.create(), await other.create()]
    expect(await userOf(fixture, one)).not.toBe(await userOf(other, two))
    await fixture.engine.destroy(one)
    expect((await other.fetch(two, '/')).status).toBe(200)
    await other.end()
  })

  it('of a copied installation have new users, and its files belong to them', async () => {
    const site = await fixture.create()
    const uid = await userOf(fixture, site)
    const copied = await mkdtemp(join(tmpdir(), 'copied-'))
    cpSync(fixture.dataDir, copied, {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !path.includes('/run'),
    })
    execFileSync('chown', ['-R', `${uid}:${uid}`, join(copied, 'local', 'sites', site.id, 'www')])
    const other = await startFixture({ dataDir: copied })
    const copiedFolder = join(copied, 'local', 'sites', site.id)
    // Until it starts, only root can access its files.
    expect([(await stat(copiedFolder)).gid, (await stat(copiedFolder)).mode & 0o777]).toEqual([0, 0o700])
    expect((await other.fetch(site, '/')).status).toBe(200)
    const now = await userOf(other, site)
    expect(now).not.toBe(uid)
    expect((await stat(join(copiedFolder, 'www', 'index.php'))).uid).toBe(now)
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    await other.end()
    await rm(copied, { recursive: true, force: true })
    await fixture.engine.destroy(site)
  })
})

describe.skipIf(!isRoot)('restoring as root while the site’s user works against it', () => {
  const never = new AbortController().signal
  const limits = { bytes: Infinity, entries: Infinity }
  let fixture: EngineFixture
  let outside: string
  beforeAll(async () => {
    fixture = await startFixture()
  })
  afterAll(() => fixture.end())
  beforeEach(async () => {
    outside = await mkdtemp(join(tmpdir(), 'outside-'))
    await mkdir(join(outside, 'open'))
    await writeFile(join(outside, 'root-owned'), 'root’s', { mode: 0o600 })
  })
  afterEach(() => rm(outside, { recursive: true, force: true }))

  /** An archived site with so many files that there is time to swap folders during unpacking. */
  const archived = async (): Promise<{ site: SiteSpec; uid: number; folder: string }> => {
    const site = await fixture.create()
    const uid = await userOf(fixture, site)
    const folder = join(fixture.dataDir, 'local', 'sites', site.id)
    for (let at = 0; at < 40; at += 1) {
      await mkdir(join(folder, 'www', `d${at}`))
      for (let file = 0; file < 20; file += 1) await writeFile(join(folder, 'www', `d${at}`, `f${file}`), 'x')
    }
    execFileSync('chown', ['-R', `${uid}:${uid}`, join(folder, 'www')])
    await runAll(fixture.engine.archiveSteps(site))
    return { site, uid, folder }
  }

  /** Code of the site with an open handle to its folder: replaces each new folder anywhere in it with a link. */
  const attack = async (uid: number, folder: string): Promise<() => Promise<void>> => {
    const attacker = spawn(
      process.execPath,
      [
        '-e',
        `const fs = require('node:fs'); const [, target, uid] = process.argv
         process.setgroups([]); process.setgid(Number(uid)); process.setuid(Number(uid))
         process.stdout.write('begun')
         const quiet = (work) => { try { work() } catch {} }
         const places = ['restored.new/www', 'staging/www', 'www', 'www.new']
         for (let n = 0; ; n = (n + 1) % 40) for (const place of places) {
           quiet(() => fs.renameSync(place + '/d' + n, place + '/gone-' + n + '-' + process.hrtime.bigint()))
           quiet(() => fs.symlinkSync(target, place + '/d' + n))
         }`,
        outside,
        String(uid),
      ],
      { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], env: {} },
    )
    const removed = new Promise<void>((resolve) => {
      attacker.once('exit', () => resolve())
    })
    await new Promise((resolve) => {
      attacker.stdout.once('data', resolve)
    })
    return async () => {
      attacker.kill('SIGKILL')
      await removed
    }
  }

  const expectUntouched = async (): Promise<void> => {
    const left = execFileSync('find', [outside, '-mindepth', '1'], { encoding: 'utf8' }).trim().split('\n').toSorted()
    expect(left).toEqual([join(outside, 'open'), join(outside, 'root-owned')])
    for (const path of [outside, ...left]) expect((await stat(path)).uid).toBe(0)
  }

  it('writes nothing and changes no owner outside of the site, and the attacker is killed', async () => {
    const { site, uid, folder } = await archived()
    const end = await attack(uid, folder)
    await runAll(fixture.engine.restoreArchiveSteps(site).slice(0, 1))
    expect(await processesOf(uid)).toEqual([])
    await end()
    await expectUntouched()
    expect((await stat(join(folder, 'www', 'd0', 'f0'))).uid).toBe(uid)
  })

  it('does not depend on killing the attacker: an incomplete tree cannot be entered', async () => {
    const { uid, folder } = await archived()
    const end = await attack(uid, folder)
    const staging = join(folder, 'staging')
    await unpackFolders(join(folder, 'archive.tar.zst'), staging, limits, never, () => undefined)
    chownTree(join(staging, 'www'), uid)
    // Unchanged until it is moved into place.
    expect((await stat(join(staging, 'www', 'd39', 'f19'))).uid).toBe(uid)
    expect((await lstat(join(staging, 'www', 'd0'))).isDirectory()).toBe(true)
    await end()
    await expectUntouched()
  })
})
