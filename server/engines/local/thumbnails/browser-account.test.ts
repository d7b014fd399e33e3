import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '#server/platform/log/log.ts'
import { ownUserIds, releaseUserIds } from '#server/platform/processes/user-ids.ts'
import { openLocalThumbnails } from './local-thumbnails.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'browser-account-'))
  await chmod(root, 0o777)
})
afterEach(() => rm(root, { recursive: true }))

/** User id that an installation uses for its browser. */
async function browserOf(name: string): Promise<number> {
  const dataDir = join(root, name)
  await mkdir(dataDir)
  const browser = join(root, `${name}-browser`)
  const uidFile = join(root, `${name}-uid`)
  await writeFile(browser, `#!/bin/sh\nid -u > ${uidFile}\nexit 1\n`, { mode: 0o755 })
  const thumbnails = await openLocalThumbnails({ enabled: true, browser, cacheDir: root, dataDir, log: silentLog })
  const nothing = { addresses: [], read: () => Promise.reject(new Error('not asked')) }
  await expect(thumbnails.take(nothing as never, AbortSignal.timeout(300_000), true)).rejects.toThrow()
  await thumbnails.stop()
  const { browser: own } = await ownUserIds(dataDir)
  const uid = Number(await readFile(uidFile, 'utf8'))
  expect(uid).toBe(own)
  return uid
}

test.runIf(process.getuid?.() === 0)('as root, no two installations share the account of their browsers', async () => {
  const uids = [await browserOf('one'), await browserOf('two')]
  expect(new Set(uids).size).toBe(2)
  for (const name of ['one', 'two']) await releaseUserIds(join(root, name))
})
