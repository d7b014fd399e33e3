import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeLock, withLock } from './lock-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('of many who find a stale lock exactly one gets it, and nothing else stays in the folder', async () => {
  const path = join(folder, 'lock')
  for (let round = 0; round < 20; round += 1) {
    await writeFile(path, '999999999 1 stale\n')
    const locks = await Promise.all(Array.from({ length: 8 }, () => takeLock(path)))
    const held = locks.filter((lock) => lock.held)
    expect(held).toHaveLength(1)
    expect(await readdir(folder)).toEqual(['lock'])
    await held[0]?.release()
    expect(await readdir(folder)).toEqual([])
  }
})

test('a process killed while removing a stale lock does not block the others', async () => {
  const path = join(folder, 'lock')
  const stale = '999999999 1 stale\n'
  await writeFile(path, stale)
  const guard = `${path}.${createHash('sha256').update(stale).digest('hex').slice(0, 12)}`
  await writeFile(guard, '999999998 1 killed\n')
  const lock = await takeLock(path)
  expect(lock.held).toBe(true)
  expect(await readdir(folder)).toEqual(['lock'])
})

test('waiting ones come one after the other, also after a failure', async () => {
  const path = join(folder, 'lock')
  let inside = 0
  let most = 0
  const work = (fail: boolean) =>
    withLock(path, async () => {
      inside += 1
      most = Math.max(most, inside)
      await readdir(folder)
      inside -= 1
      if (fail) throw new Error('failed inside')
    })
  const results = await Promise.allSettled([work(false), work(true), work(false)])
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(most).toBe(1)
})
