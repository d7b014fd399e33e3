import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { openFolder } from '../trees/folder.ts'
import { runFileTask, type FileTask } from './file-tasks.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kept-'))
  await mkdir(join(folder, 'trash'))
  await put('a.txt', 'a')
  await put('in/b.txt', 'b')
  await chmod(join(folder, 'www/in/b.txt'), 0o600)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(folder, 'www', path)), { recursive: true })
  await writeFile(join(folder, 'www', path), content)
}

async function run(task: FileTask): Promise<unknown> {
  const tree = { root: openFolder(join(folder, 'www')), trash: openFolder(join(folder, 'trash')) }
  try {
    return (await runFileTask(tree, task, { bytes: 2 ** 30, entries: 1_000 })).value
  } finally {
    tree.root.close()
    tree.trash.close()
  }
}

const archive = () =>
  makeZip(['a.txt', 'in/b.txt', 'in/new/c.txt', 'd.txt'].map((name) => ({ name, content: Buffer.from('new') })))
const unzip = (into: string, keep: string, replace = true) =>
  run({ task: 'unzip', input: { path: 'x.zip', into, replace, ownFiles: false, keep } })
const undo = (operation: string) => run({ task: 'undoUnzip', input: { operation } })

/** All files with their content, and folders. */
async function state(): Promise<Record<string, string | null>> {
  const entries = await readdir(join(folder, 'www'), { recursive: true, withFileTypes: true })
  const pairs = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    return [path.slice(folder.length), entry.isFile() ? await readFile(path, 'utf8') : null] as const
  })
  return Object.fromEntries(await Promise.all(pairs))
}

it.each(['', 'in', 'out/deep'])('puts back what was unpacked into “%s”', async (into) => {
  await writeFile(join(folder, 'www/x.zip'), archive())
  const before = await state()
  expect(await unzip(into, 'one')).toEqual({ files: 4 })
  const after = await state()
  expect(after).not.toEqual(before)
  // Repeated, it changes nothing.
  expect(await unzip(into, 'one')).toEqual({ files: 4 })
  expect(await state()).toEqual(after)
  await undo('other')
  expect(await state()).toEqual(after)
  await undo('one')
  await undo('one')
  expect(await state()).toEqual(before)
  expect(await readdir(join(folder, 'trash'))).toEqual([])
  expect(await unzip(into, 'one')).toEqual({ files: 4 })
  await run({ task: 'finishUnzip', input: { operation: 'one' } })
  await undo('one')
  expect(await state()).toEqual(after)
  expect(await readdir(join(folder, 'trash'))).toEqual([])
})

it('takes back what was cut off, and begins again', async () => {
  await writeFile(join(folder, 'www/x.zip'), archive())
  const before = await state()
  await unzip('', 'one')
  // Its process ended before the last file was moved.
  await rm(join(folder, 'trash/.undo-one/done'))
  await rm(join(folder, 'www/d.txt'))
  await rm(join(folder, 'www/in/new'), { recursive: true })
  expect(await unzip('', 'one')).toEqual({ files: 4 })
  await undo('one')
  expect(await state()).toEqual(before)
})

it('puts nothing outside of the site, and changes nothing, if the journal is not its own', async () => {
  await writeFile(join(folder, 'www/x.zip'), archive())
  await unzip('', 'one')
  const after = await state()
  for (const path of ['../x', '/etc/passwd', '', 'a/../../b']) {
    await writeFile(join(folder, 'trash/.undo-one/placed.json'), JSON.stringify({ replaced: [path], added: [path] }))
    await expect(undo('one'), path).rejects.toThrow(/cannot be read/)
    expect(await state()).toEqual(after)
  }
})

it('leaves everything as it is if something is in the way', async () => {
  await writeFile(join(folder, 'www/x.zip'), archive())
  const before = await state()
  // Which of them is seen first depends on the file system.
  await expect(unzip('', 'one', false)).rejects.toThrow(/(?:a|in\/b)\.txt exists already/)
  await undo('one')
  expect(await state()).toEqual(before)
})

it.each(['', 'out/deep'])(
  'keeps what others put into unpacked folders meanwhile (into “%s”), and names it',
  async (into) => {
    await writeFile(join(folder, 'www/x.zip'), archive())
    const before = await state()
    await unzip(into, 'one')
    const at = into === '' ? 'in/new' : `${into}/in/new`
    await put(`${at}/upload.jpg`, 'visitor')
    await put(`${at}/2026/11/photo.jpg`, 'visitor')
    const undone = (await undo('one')) as { left: string[] }
    expect(undone.left.toSorted()).toEqual([`${at}/2026/11/photo.jpg`, `${at}/upload.jpg`])
    const after = await state()
    for (const path of undone.left) expect(after[`/www/${path}`]).toBe('visitor')
    // Nothing else is left of it.
    const added = Object.keys(after).filter((path) => after[path] !== null && !(path in before))
    expect(added.toSorted()).toEqual(undone.left.map((path) => `/www/${path}`).toSorted())
    for (const [path, content] of Object.entries(before)) expect(after[path], path).toBe(content)
    expect(await readdir(join(folder, 'trash'))).toEqual([])
    expect(await undo('one')).toEqual({ left: [], kept: false })
  },
)
