import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLog } from '#server/platform/text-log/read-log.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAccessLog, type AccessLog } from './access-log.ts'

const limits = { bytes: 256 * 1024, lines: 2_000 }
const line = (number: number): string => `${String(number).padStart(99, '0')}\n`

let folder: string
let access: AccessLog
let known: boolean
const warn = vi.fn<(message: string) => void>()
const open = () =>
  createAccessLog({
    folderOf: (id) => join(folder, id, 'access'),
    maxBytesOf: () => (known ? 1_000_000 : null),
    log: { ...silentLog, warn },
  })
const files = () => readdir(join(folder, 'site', 'access'))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'access-'))
  await mkdir(join(folder, 'site'))
  known = true
  access = open()
  warn.mockClear()
})
afterEach(async () => {
  await access.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Reads on after a position until nothing is left. */
async function readOn(from: string | null): Promise<{ lines: string[]; end: string; gap: string | null }> {
  const lines: string[] = []
  let gap: string | null = null
  for (let after = from; ;) {
    const { segments, close } = await access.open('site')
    const read = await readLog(segments, after === null ? { from: 'start' } : { after }, limits)
    await close()
    lines.push(...read.lines)
    gap ??= read.gap
    after = read.end
    if (!read.more) return { lines, end: read.end, gap }
  }
}

describe('an access log', () => {
  it('is written in batches, into files that only we can read', async () => {
    for (let number = 0; number < 500; number += 1) access.record('site', line(number))
    await expect(files()).rejects.toThrow('ENOENT')
    await access.flush('site')
    expect(await files()).toEqual(['access.000001.log'])
    const path = join(folder, 'site', 'access')
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    expect((await stat(join(path, 'access.000001.log'))).mode & 0o777).toBe(0o600)
    expect((await readFile(join(path, 'access.000001.log'), 'utf8')).split('\n')).toHaveLength(501)
  })

  it('is rotated within its quota, and read on through the rotation without a gap', async () => {
    let end: string | null = null
    const lines: string[] = []
    for (let round = 0; round < 10; round += 1) {
      for (let number = 0; number < 1_500; number += 1) access.record('site', line(round * 1_500 + number))
      const read = await readOn(end)
      expect(read.gap).toBeNull()
      lines.push(...read.lines)
      end = read.end
    }
    expect(lines).toEqual(Array.from({ length: 15_000 }, (_, number) => line(number).trim()))
    const names = await files()
    expect(names.length).toBeLessThanOrEqual(4)
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, 'site', 'access', name))).size))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1_000_000)
    // A reader that was away for longer is told.
    expect((await readOn('1.0.000000000000')).gap).toBe('removed')
  })

  it('continues after a restart in the same file', async () => {
    access.record('site', line(1))
    const { end } = await readOn(null)
    await access.stop()
    access = open()
    access.record('site', line(2))
    expect(await readOn(end)).toMatchObject({ lines: [line(2).trim()], gap: null })
    expect(await files()).toHaveLength(1)
  })

  it('is empty after it was emptied, and no position is valid again by chance', async () => {
    access.record('site', line(1))
    const { end } = await readOn(null)
    await access.clear('site')
    access.record('site', line(1))
    expect(await readOn(end)).toMatchObject({ lines: [line(1).trim()], gap: 'removed' })
    expect(await files()).toEqual(['access.000002.log'])
  })

  it('counts what one second can’t hold instead of keeping it in memory', async () => {
    for (let number = 0; number < 20_000; number += 1) access.record('site', line(number))
    const { lines } = await readOn(null)
    expect(lines.length).toBeLessThan(6_000)
    expect(lines.at(-1)).toMatch(/^- - - \d+ more requests/)
  })

  it('creates nothing for a site that is gone', async () => {
    access.record('site', line(1))
    known = false
    await access.flush('site')
    expect(await readdir(join(folder, 'site'))).toEqual([])
    known = true
    access.record('elsewhere', line(1))
    await access.flush('elsewhere')
    expect(await readdir(folder)).toEqual(['site'])
  })

  it('loses lines, and nothing else, if they can’t be written', async () => {
    await writeFile(join(folder, 'site', 'access'), 'no folder')
    access.record('site', line(1))
    await access.flush('site')
    expect(warn).toHaveBeenCalledOnce()
    execFileSync('rm', [join(folder, 'site', 'access')])
    access.record('site', line(2))
    expect((await readOn(null)).lines).toEqual([line(2).trim()])
  })
})
