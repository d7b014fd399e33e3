import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openFolder } from '../trees/folder.ts'
import { runFileTask } from './file-tasks.ts'
import { FileRefusal } from './refusal.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unzip-'))
  await mkdir(join(folder, 'www'))
  await mkdir(join(folder, 'trash'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const big = { bytes: 2 ** 30, entries: 300_000 }

/** Unpacks an archive into `www/out`. */
async function unpack(archive: Buffer, room = big, replace = false): Promise<unknown> {
  await writeFile(join(folder, 'www', 'a.zip'), archive)
  const tree = { root: openFolder(join(folder, 'www')), trash: openFolder(join(folder, 'trash')) }
  try {
    const input = { path: 'a.zip', into: 'out', replace, ownFiles: false, keep: null }
    return (await runFileTask(tree, { task: 'unzip', input }, room)).value
  } finally {
    tree.root.close()
    tree.trash.close()
  }
}

/** A stored member's header and data, and its line in the directory. */
function member(name: string, offset: number, { flags = 0, size = 1, at = offset, data = 'x' } = {}): [Buffer, Buffer] {
  const head = Buffer.alloc(26)
  head.writeUInt16LE(20, 0)
  head.writeUInt16LE(flags, 2)
  head.writeUInt32LE(0x8cdc1683, 10)
  head.writeUInt32LE(data.length, 14)
  head.writeUInt32LE(size, 18)
  head.writeUInt16LE(Buffer.byteLength(name), 22)
  const tail = Buffer.alloc(14)
  tail.writeUInt32LE(at, 10)
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), head, Buffer.from(name), Buffer.from(data)])
  return [local, Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0003', 'latin1'), head, tail, Buffer.from(name)])]
}

function archive(members: readonly [Buffer, Buffer][], count = members.length): Buffer {
  const locals = Buffer.concat(members.map(([local]) => local))
  const directory = Buffer.concat(members.map(([, central]) => central))
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(locals.length, 16)
  return Buffer.concat([locals, directory, end])
}

it('unpacks what is as it should be', async () => {
  expect(await unpack(archive([member('in/a.txt', 0)]))).toEqual({ files: 1 })
  expect(await readFile(join(folder, 'www', 'out', 'in', 'a.txt'), 'utf8')).toBe('x')
})

it.each([
  ['encrypted', () => archive([member('secret.txt', 0, { flags: 1, data: 'x'.repeat(13) })]), 'secret.txt'],
  ['shared bytes', () => archive([member('one', 0), member('two', 34, { at: 0 })]), 'two'],
  ['another size', () => archive([member('liar', 0, { size: 2 })]), 'a.zip'],
  ['a cut end', () => archive([member('cut', 0)]).subarray(0, -10), 'a.zip'],
  ['no archive', () => Buffer.from('just a text'), 'a.zip'],
])('refuses %s, by name, and leaves nothing', async (_what, made, name) => {
  const work = unpack(made())
  await expect(work).rejects.toThrow(FileRefusal)
  await expect(work).rejects.toThrow(name)
  expect(await readdir(join(folder, 'www'))).toEqual(['a.zip'])
  expect(await readdir(join(folder, 'trash'))).toEqual([])
})

it('refuses what has no room', async () => {
  await expect(unpack(archive([member('a', 0)]), { bytes: 4095, entries: 9 })).rejects.toThrow('quota')
  await expect(unpack(archive([member('a', 0)]), { bytes: 2 ** 20, entries: 0 })).rejects.toThrow('quota')
})

it('whatever names there are: nothing appears outside of the folder', async () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 30 }),
    fc.constantFrom('..', '../x', '/x', 'a/../../x', '.'),
  )
  await fc.assert(
    fc.asyncProperty(name, async (text) => {
      await unpack(archive([member(text, 0)]), big, true).catch((error: unknown) => {
        expect(error).toBeInstanceOf(FileRefusal)
      })
      expect((await readdir(folder)).toSorted()).toEqual(['trash', 'www'])
      expect((await readdir(join(folder, 'www'))).filter((one) => !['a.zip', 'out'].includes(one))).toEqual([])
      await rm(join(folder, 'www', 'out'), { recursive: true, force: true })
    }),
    { numRuns: 60 },
  )
})
