import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listedTree } from './listed-tree.ts'
import { packedPath } from './pack-archive.ts'
import { bytesOf, dumpPieces, inOrderOfTar, tarPieces, type OwnMember } from './tar-pieces.ts'

const run = promisify(execFile)
const own = (name: string, text: string): OwnMember => ({
  name,
  content: [{ kind: 'own', bytes: Buffer.byteLength(text), open: async function* () {} }],
})
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

// What sorts before and after a slash, of one to four bytes, and so long that a name has blocks of its own.
const name = fc
  .array(fc.constantFrom('a', 'B', '-', '.x', ' ', '!', '0', 'é', '\uFFFC', '😀', "'", 'long'.repeat(15)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''))
const tree = fc.dictionary(
  fc
    .array(name, { minLength: 1, maxLength: 4 })
    .map((names) => names.join('/'))
    .filter((path) => {
      try {
        return packedPath(path) === path
      } catch {
        return false
      }
    }),
  fc.constantFrom(0, 1, 511, 512, 513, 20_000),
  { maxKeys: 15 },
)

test('each byte of the tar that a server makes is where names and sizes say, whatever they are', async () => {
  const script = await readFile(new URL('remote/archive-tar.sh', import.meta.url), 'utf8')
  await fc.assert(
    fc.asyncProperty(tree, async (files) => {
      const folder = await mkdtemp(join(tmpdir(), 'tar-pieces-'))
      try {
        for (const [path, size] of Object.entries(files)) {
          const parts = join(folder, 'files', path).split('/')
          // A name can be taken by a file already.
          await mkdir(parts.slice(0, -1).join('/'), { recursive: true }).catch(() => undefined)
          await writeFile(join(folder, 'files', path), Buffer.alloc(size, path)).catch(() => undefined)
        }
        await mkdir(join(folder, 'files'), { recursive: true })
        for (const text of ['README.txt', 'manifest.json', 'database.sql']) await writeFile(join(folder, text), text)
        const { stdout: tar } = await run('sh', ['-c', `${script}\narchive_tar`], {
          ...{ cwd: folder, encoding: 'buffer', maxBuffer: 64 * 1_048_576 },
        })
        const list = `cd files; find . -mindepth 1 -type d -printf 'd %m %T@ %p\\0'; find . -type f -printf '%m %T@ %s - %p\\0'`
        const { stdout: listed } = await run('sh', ['-c', list], { cwd: folder })
        const items = await Promise.all(
          listed.split('\0').map(async (line) => {
            const [begin = '', path] = line.split(' - ./')
            if (path === undefined) return line
            return `${begin} ${sha256(await readFile(join(folder, 'files', path)))}  ./${path}`
          }),
        )
        const { items: found, others } = await listedTree(
          (async function* () {
            yield gzipSync(`${items.join('\0')}x 3\0`)
          })(),
        )
        const pieces = tarPieces([own('README.txt', 'README.txt')], inOrderOfTar(found), [
          own('database.sql', 'database.sql'),
          own('manifest.json', 'manifest.json'),
        ])
        expect(bytesOf(pieces)).toBe(tar.length)
        let at = 0
        const seen = new Set<string>()
        for (const piece of pieces) {
          const bytes = tar.subarray(at, at + piece.bytes)
          if (piece.kind === 'header') {
            const member = piece.says.slice(piece.says.indexOf('files/'))
            const long = bytes.length > 512
            expect(
              bytes
                .subarray(long ? 512 : 0, long ? undefined : 100)
                .toString()
                .split('\0')[0],
            ).toBe(member)
            seen.add(member)
          }
          if (piece.kind === 'content') {
            const size = Object.values(files).find((one) => sha256(bytes.subarray(0, one)) === piece.sha256)
            expect(size).toBeDefined()
          }
          at += piece.bytes
        }
        expect([seen.size, others]).toEqual([found.length, 3])
      } finally {
        await rm(folder, { recursive: true })
      }
    }),
    { numRuns: 60 },
  )
}, 120_000)

test('pieces of a dump that cannot be true are refused', () => {
  const sum = 'a'.repeat(64)
  const whole = { bytes: 30, sha256: 'b'.repeat(64) }
  expect(dumpPieces('', whole)).toEqual([{ kind: 'content', ...whole }])
  expect(dumpPieces(`10 ${sum}\n20 ${sum}\n`, whole).map(({ bytes }) => bytes)).toEqual([10, 20])
  const wrong = [
    `10 ${sum}\n`,
    `10 ${sum}\n21 ${sum}\n`,
    `-1 ${sum}\n31 ${sum}\n`,
    `30 ${sum.slice(1)}\n`,
    'nonsense\n',
  ]
  const many = Array.from({ length: 65_537 }, () => `1 ${sum}\n`).join('')
  for (const list of wrong) expect(() => dumpPieces(list, whole)).toThrow('cannot be read')
  expect(() => dumpPieces(many, { ...whole, bytes: 65_537 })).toThrow('cannot be read')
})
