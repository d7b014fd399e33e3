import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { browserStarts, fixtureCache as cacheDir } from '#server/platform/browser/browser-fixture.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { openBrowserErrors, readBrowserError } from './browser-error.ts'
import { openLocalThumbnails } from './local-thumbnails.ts'
import type { PageSource } from '../../screenshots.ts'
import { browserFolders, failureOf, ownTemporaryFolder } from './thumbnails-fixture.ts'

await ownTemporaryFolder()
const starts = await browserStarts()

describe('where no thumbnail can be taken', () => {
  const source: PageSource = {
    origin: 'http://x.localhost',
    read: async () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('x') }),
  }
  const soon = (): AbortSignal => AbortSignal.timeout(300_000)

  async function open(
    changes: object,
  ): Promise<{ thumbnails: Awaited<ReturnType<typeof openLocalThumbnails>>; warned: string[]; folder: string }> {
    const folder = await mkdtemp(join(tmpdir(), 'thumbnails-'))
    const warned: string[] = []
    const thumbnails = await openLocalThumbnails({
      enabled: true,
      browser: null,
      cacheDir,
      dataDir: folder,
      log: { ...silentLog, warn: (message: string) => void warned.push(message) },
      ...changes,
    })
    return { thumbnails, warned, folder }
  }

  it('reports that it is turned off', async () => {
    const { thumbnails, warned } = await open({ enabled: false })
    expect(thumbnails.state()).toEqual({ state: 'off', nextTry: null })
    expect(thumbnails.capability()).toEqual({
      supported: false,
      reason: expect.stringContaining('turned off') as string,
    })
    expect((await failureOf(thumbnails.take(source, soon()))).code).toBe('unsupported')
    expect(warned).toEqual([])
  })

  it('no browser: it says what is needed, without noise, until there is one', async () => {
    const program = join(await mkdtemp(join(tmpdir(), 'later-')), 'chromium')
    const { thumbnails, warned } = await open({ browser: program })
    expect(thumbnails.state()).toEqual({ state: 'missing', nextTry: null })
    expect(thumbnails.capability()).toEqual({ supported: false, reason: expect.stringContaining('Chrome') as string })
    expect((await failureOf(thumbnails.take(source, soon()))).message).toContain('Chrome')
    expect(warned).toEqual([])
    await writeFile(program, '', { mode: 0o755 })
    expect(thumbnails.capability()).toEqual({ supported: true })
  })

  /** A fake browser that exits with an error message and counts its starts. */
  async function failing(): Promise<{ program: string; runs: () => Promise<number> }> {
    const folder = await mkdtemp(join(tmpdir(), 'program-'))
    // As root the browser runs as another user, who must be able to write the count here.
    await chmod(folder, 0o777)
    const program = join(folder, 'chromium')
    const script = `#!/bin/sh\necho "No usable sandbox!" >&2\necho run >> ${folder}/runs\nexit 1\n`
    await writeFile(program, script, { mode: 0o755 })
    return { program, runs: async () => (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n').length }
  }

  it('retries a browser that does not start after growing pauses, and immediately when a user requests it', async () => {
    const minute = 60_000
    let now = 0
    const { program, runs } = await failing()
    const { thumbnails, warned, folder } = await open({ browser: program, clock: () => now })
    const take = (requestedByUser = false) => failureOf(thumbnails.take(source, soon(), requestedByUser))
    expect(thumbnails.state()).toEqual({ state: 'on', nextTry: null })
    expect(await take()).toMatchObject({ code: 'unavailable', retryable: true })
    expect(thumbnails.capability()).toEqual({ supported: true })
    expect(thumbnails.state()).toEqual({ state: 'sandbox', nextTry: minute })
    expect(await readBrowserError(folder)).toEqual({ kind: 'sandbox', at: 0 })
    now = minute - 1
    expect((await take()).message).toContain('sandbox')
    expect(await runs()).toBe(1)
    await take(true)
    expect(await runs()).toBe(2)
    for (const [nth, pause] of [2, 4, 8, 16, 32, 60, 60].entries()) {
      expect(thumbnails.state().nextTry).toBe(now + pause * minute)
      now += pause * minute
      await take()
      expect(await runs()).toBe(nth + 3)
    }
    expect(warned).toHaveLength(1)
    expect(await browserFolders()).toEqual([])
  })

  it.skipIf(!starts)('a start that goes well clears the error, also one recorded before a restart', async () => {
    const { folder } = await open({})
    const noted = openBrowserErrors({ dataDir: folder, clock: () => 5, log: silentLog })
    await noted.record('broken', new Error('gone'))
    const { thumbnails } = await open({ dataDir: folder })
    expect(await readBrowserError(folder)).toEqual({ kind: 'broken', at: 5 })
    await thumbnails.take(source, soon())
    expect(thumbnails.state()).toEqual({ state: 'on', nextTry: null })
    expect(await readBrowserError(folder)).toBeNull()
  })

  it('too little memory: not now, but later', async () => {
    const { thumbnails, warned } = await open({ browser: process.execPath, freeMemory: () => 100 * 2 ** 20 })
    const error = await failureOf(thumbnails.take(source, soon()))
    expect(error).toMatchObject({ code: 'unavailable', retryable: true })
    expect(thumbnails.capability()).toEqual({ supported: true })
    expect(warned).toEqual([])
  })

  it('files of a killed process are removed at the next start', async () => {
    const { folder } = await open({ enabled: false })
    const left = await mkdtemp(join(tmpdir(), 'easydash-browser-'))
    const untouched = await mkdtemp(join(tmpdir(), 'somebody-elses-'))
    const noteFile = join(folder, 'local', 'browser.json')
    await writeFile(noteFile, JSON.stringify({ folder: left }))
    await openLocalThumbnails({ enabled: false, browser: null, cacheDir, dataDir: folder, log: silentLog })
    expect(existsSync(left)).toBe(false)
    expect(existsSync(noteFile)).toBe(false)
    await writeFile(noteFile, JSON.stringify({ folder: untouched, pid: process.pid, identity: '1' }))
    await openLocalThumbnails({ enabled: false, browser: null, cacheDir, dataDir: folder, log: silentLog })
    expect(existsSync(untouched)).toBe(true)
    await rm(untouched, { recursive: true })
  })
})
