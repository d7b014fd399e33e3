import { chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exists } from '../files/exists.ts'
import { removeInitFiles, writeInitFile } from './init-file.ts'
import { createMysqlFolder, mysqlFolder } from './mysql-folder.ts'

const isRoot = process.getuid?.() === 0
const account = isRoot ? { uid: 54_999, gid: 54_999 } : null
const program = { path: '/x', product: 'MariaDB', version: '10.11.0', isRecentEnough: true, install: '/x' } as const

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mysql-folder-'))
})
afterEach(async () => rm(root, { recursive: true, force: true }))

test('the statements with the password are in a folder that only we can change, and disappear', async () => {
  const home = join(root, 'server')
  const path = await writeInitFile(home, 'SELECT 1;', account)
  const folder = await stat(join(path, '..'))
  expect([folder.uid, folder.mode & 0o022]).toEqual([process.getuid?.(), 0])
  const file = await stat(path)
  expect([file.uid, file.mode & 0o777]).toEqual([account?.uid ?? process.getuid?.(), 0o400])
  expect(path.startsWith(`${home}/`)).toBe(false)
  // One that a killed process left goes, too.
  await writeInitFile(home, 'SELECT 2;', account)
  expect(await exists(path)).toBe(false)
  await removeInitFiles(home)
  expect(await readdir(root)).toEqual([])
})

describe.skipIf(!isRoot)('a folder of a server that was taken over (needs root)', () => {
  test.each(['files', 'tmp'])('a link in place of %s gives nothing of others to the server', async (name) => {
    const folder = mysqlFolder(join(root, 'server'))
    const foreign = join(root, 'foreign')
    await mkdir(foreign, { mode: 0o755 })
    await writeFile(join(foreign, 'kept'), '')
    await mkdir(folder.data, { recursive: true })
    await symlink(foreign, join(folder.home, name))
    await createMysqlFolder(program, folder, account).catch(() => undefined)
    expect([(await stat(foreign)).uid, (await stat(foreign)).mode & 0o777]).toEqual([0, 0o755])
    expect(await readdir(foreign)).toEqual(['kept'])
  })

  test('what is removed is removed with the rights of the server only', async () => {
    const folder = mysqlFolder(join(root, 'server'))
    await mkdir(join(folder.home, '.new-1', 'foreign'), { recursive: true })
    await writeFile(join(folder.home, '.new-1', 'foreign', 'kept'), '')
    await mkdir(folder.data)
    await chown(join(folder.home, '.new-1'), 54_999, 54_999)
    await createMysqlFolder(program, folder, account).catch(() => undefined)
    expect(await exists(join(folder.home, '.new-1', 'foreign', 'kept'))).toBe(true)
  })
})
