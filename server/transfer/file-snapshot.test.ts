import { statSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openFileSnapshot } from './file-snapshot.ts'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'steady-')))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const { signal } = new AbortController()
const options = () => ({ spool: folder, owner: null, signal })

/** The content of a file, null if there is none. */
async function contentOf(path: string): Promise<Buffer | null> {
  const file = await openFileSnapshot(path, options())
  if (file === null) return null
  try {
    const content = Buffer.concat(await Array.fromAsync(file.chunks()))
    expect(content.length).toBe(file.size)
    return content
  } finally {
    await file.close()
  }
}

/** Row counts, read from a copy, of two tables that always change together. */
async function countsIn(copy: Buffer): Promise<[number, number]> {
  const path = join(folder, 'copy.sqlite')
  await writeFile(path, copy)
  const database = new DatabaseSync(path)
  try {
    expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    const row = database.prepare('select (select count(*) from a) as a, (select count(*) from b) as b').get()
    return [Number(row?.['a']), Number(row?.['b'])]
  } finally {
    database.close()
  }
}

function open(rows: number): DatabaseSync {
  const database = new DatabaseSync(join(folder, 'site.sqlite'))
  database.exec('create table a (t text); create table b (t text)')
  write(database, rows)
  return database
}

function write(database: DatabaseSync, rows: number): void {
  database.exec('begin')
  for (let n = 0; n < rows; n += 1) {
    database.prepare('insert into a values (?)').run('x'.repeat(2000))
    database.prepare('insert into b values (?)').run('y'.repeat(2000))
  }
  database.exec('commit')
}

test.each([
  ['small', 5],
  ['large', 1500],
])('a %s database in a transaction is read when that has ended', async (_size, rows) => {
  const database = open(rows)
  // Pages of the transaction are written to the file before it ends.
  database.exec('pragma cache_size = 1; begin')
  for (let n = 0; n < 50; n += 1) database.prepare('insert into a values (?)').run('z'.repeat(4000))
  let ended = false
  // Its modification time doesn't help: the transaction waits for something else, like a slow request.
  await utimes(join(folder, 'site.sqlite'), 1, 1)
  const tries = vi.spyOn(signal, 'throwIfAborted')
  const reading = contentOf(join(folder, 'site.sqlite')).then((content) => ({ content, ended }))
  await expect.poll(() => tries.mock.calls.length).toBeGreaterThan(1)
  tries.mockRestore()
  for (let n = 0; n < 50; n += 1) database.prepare('insert into b values (?)').run('z'.repeat(4000))
  ended = true
  database.exec('commit')
  const found = await reading
  expect(found.ended).toBe(true)
  expect(await countsIn(found.content as Buffer)).toEqual([rows + 50, rows + 50])
  database.close()
})

test('a database that is written while it is copied is copied again', async () => {
  const database = open(1200)
  const path = join(folder, 'site.sqlite')
  const { size } = statSync(path)
  let ended = false
  const reading = contentOf(path).finally(() => (ended = true))
  const isInTheMiddle = () => {
    const copied = statSync(join(folder, 'database'), { throwIfNoEntry: false })?.size ?? 0
    return copied > 0 && copied < size
  }
  let written = 1200
  for (let n = 0; n < 3; n += 1) {
    while (!ended && !isInTheMiddle()) await nextTurn()
    if (ended) break
    write(database, 3)
    written += 3
    while (!ended && isInTheMiddle()) await nextTurn()
  }
  expect(await countsIn((await reading) as Buffer)).toEqual([written, written])
  database.close()
})

test('rejects links, folders and missing files', async () => {
  await writeFile(join(folder, 'secret'), 'secret')
  await symlink(join(folder, 'secret'), join(folder, 'link'))
  await mkdir(join(folder, 'real'))
  await symlink(join(folder, 'real'), join(folder, 'way'))
  await writeFile(join(folder, 'real', 'inside'), 'inside')
  expect(await contentOf(join(folder, 'link'))).toBeNull()
  expect(await contentOf(join(folder, 'real'))).toBeNull()
  expect(await contentOf(join(folder, 'nothing'))).toBeNull()
  expect(await contentOf(join(folder, 'way', 'inside'))).toBeNull()
  expect(await contentOf(join(folder, 'real', 'inside'))).toEqual(await readFile(join(folder, 'real', 'inside')))
})

/** Repeatedly swaps a folder for a link to another one and back. */
const swapper = `
  const { renameSync } = require('node:fs')
  const { workerData: folder } = require('node:worker_threads')
  for (;;) {
    renameSync(folder + '/way', folder + '/spare')
    renameSync(folder + '/link', folder + '/way')
    renameSync(folder + '/spare', folder + '/link')
  }`

test.runIf(process.platform === 'linux')(
  'a folder that is swapped for a link again and again leads nowhere',
  async () => {
    await mkdir(join(folder, 'secrets'))
    await writeFile(join(folder, 'secrets', 'file'), 'secret')
    await mkdir(join(folder, 'way'))
    await writeFile(join(folder, 'way', 'file'), 'own')
    await symlink(join(folder, 'secrets'), join(folder, 'link'))
    const worker = new Worker(swapper, { eval: true, workerData: folder })
    const found = { own: 0, secret: 0, null: 0 }
    while (found.own < 300 || found.null < 300)
      found[String(await contentOf(join(folder, 'way', 'file'))) as keyof typeof found] += 1
    await worker.terminate()
    expect(found.secret).toBe(0)
  },
)
