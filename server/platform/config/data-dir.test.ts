import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as realFs from 'node:fs/promises'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockDataDir, openDataDir, writeFileAtomic, type FileSystem } from './data-dir.ts'
import { processIdentity } from '../processes/processes.ts'
import { startupErrorText, StartupError } from '../processes/startup-error.ts'

let root: string
let dataDir: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'data-'))
  dataDir = join(root, 'deep', 'data')
})
afterEach(() => rm(root, { recursive: true }))

const failing = (code: string): FileSystem => ({
  ...realFs,
  writeFile: (() => Promise.reject(Object.assign(new Error(code), { code }))) as unknown as FileSystem['writeFile'],
})

test('creates a missing folder that cannot be listed by others, and removes the test file', async () => {
  await openDataDir(dataDir)
  expect((await stat(dataDir)).mode & 0o066).toBe(0)
  expect(await readdir(dataDir)).toEqual([])
  await openDataDir(dataDir)
})

test.each([
  ['ENOSPC', 'the disk is full'],
  ['EACCES', 'permission denied'],
  ['EROFS', 'read-only'],
  ['EDQUOT', 'the disk is full'],
])('%s is one clear sentence with a way out, and nothing stays', async (code, words) => {
  await expect(openDataDir(dataDir, failing(code))).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringMatching(new RegExp(`^The data folder ${dataDir} .*${words}`)),
    nextAction: expect.stringContaining('EASYDASH_DATA_DIR'),
  })
  expect(await readdir(root)).toEqual([])
})

test('an existing folder is not removed when it cannot be written', async () => {
  await mkdir(dataDir, { recursive: true })
  await writeFile(join(dataDir, 'keep'), 'x')
  await expect(openDataDir(dataDir, failing('ENOSPC'))).rejects.toThrow(StartupError)
  expect(await readdir(dataDir)).toEqual(['keep'])
})

test('a file in the way is named', async () => {
  await writeFile(join(root, 'deep'), '')
  await expect(openDataDir(dataDir)).rejects.toMatchObject({
    message: expect.stringContaining('a file stands where a folder is needed'),
  })
})

test('the text for the terminal has both sentences', () => {
  expect(startupErrorText(new StartupError('It is broken.', 'Mend it.'))).toBe('It is broken.\n→ Mend it.\n')
})

test('a file is written whole or keeps its old content', async () => {
  await openDataDir(dataDir)
  const path = join(dataDir, 'note')
  await writeFileAtomic(path, 'old')
  const full: FileSystem = {
    ...realFs,
    rename: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
  }
  await expect(writeFileAtomic(path, 'new', 0o600, full)).rejects.toThrow(StartupError)
  expect(await readFile(path, 'utf8')).toBe('old')
  expect(await readdir(dataDir)).toEqual(['note'])
  await writeFileAtomic(path, 'new')
  expect(await readFile(path, 'utf8')).toBe('new')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

describe('the lock', () => {
  beforeEach(() => openDataDir(dataDir))

  test('is held by one process and free again afterwards', async () => {
    const release = await lockDataDir(dataDir)
    await expect(lockDataDir(dataDir)).rejects.toMatchObject({
      message: `Another Easydash (process ${process.pid}) already runs on the data folder ${dataDir}.`,
    })
    await release()
    await (
      await lockDataDir(dataDir)
    )()
    expect(await readdir(dataDir)).toEqual([])
  })

  test('of a process that exited, or whose id was reused, is taken over', async () => {
    const child = spawn(process.execPath, ['-e', ''])
    await once(child, 'exit')
    for (const holder of [`${child.pid} 1`, `${process.ppid} 1`, 'nonsense', '']) {
      await writeFile(join(dataDir, 'server.lock'), holder)
      await (
        await lockDataDir(dataDir)
      )()
    }
  })

  test('of another living process is respected', async () => {
    await writeFile(join(dataDir, 'server.lock'), `${process.ppid} ${processIdentity(process.ppid)}\n`)
    await expect(lockDataDir(dataDir)).rejects.toThrow(StartupError)
  })
})
