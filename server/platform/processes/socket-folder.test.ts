import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { socketFolder } from './socket-folder.ts'

describe('the folder of the sockets', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sockets-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('is in its parent, closed to others, and empty at each start', async () => {
    const first = await socketFolder(folder)
    expect(first).toBe(join(folder, 'run'))
    expect((await stat(first)).mode & 0o777).toBe(0o700)
    await writeFile(join(first, 'old.sock'), '')
    expect(await socketFolder(folder)).toBe(first)
    expect(existsSync(join(first, 'old.sock'))).toBe(false)
  })

  it('is elsewhere when its path would be too long, and the one of a killed process goes', async () => {
    const long = join(folder, 'd'.repeat(60))
    const first = await socketFolder(long)
    expect(Buffer.byteLength(first)).toBeLessThan(80)
    expect((await stat(first)).mode & 0o777).toBe(0o700)
    const second = await socketFolder(long)
    expect([existsSync(first), existsSync(second)]).toEqual([false, true])
    await rm(second, { recursive: true })
  })

  it('stays when a copy of its parent is used meanwhile', async () => {
    const [original, copy] = [join(folder, 'd'.repeat(60)), join(folder, 'c'.repeat(60))]
    const running = await socketFolder(original)
    await cp(original, copy, { recursive: true })
    const other = await socketFolder(copy)
    expect([existsSync(running), other === running]).toEqual([true, false])
    for (const one of [running, other]) await rm(one, { recursive: true })
  })

  it('removes nothing but its own', async () => {
    const long = join(folder, 'd'.repeat(60))
    const foreign = join(folder, 'foreign')
    await mkdir(foreign)
    await mkdir(long)
    for (const path of [foreign, `${tmpdir()}/easydash-x/../${folder.split('/').pop()}/foreign`, '']) {
      await writeFile(join(long, 'run-folder'), path)
      await rm(await socketFolder(long), { recursive: true })
      expect(existsSync(foreign)).toBe(true)
    }
  })
})
