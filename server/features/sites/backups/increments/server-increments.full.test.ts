import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import type { SiteSpec } from '#server/engines/engine.ts'
import type { Sealing, SealedSite } from '#server/engines/site-backups.ts'
import { readTar } from '#server/platform/files/tar.ts'
import { packIncrement, putTogether, readIncrement } from './increment-archive.ts'
import type { KnownContent } from './known-content.ts'
import { compareListed, listedContent } from './listed-content.ts'

let t: EeServer
let identity: string
let recipient: string
let site: SiteSpec
/** Unpacked archives, and what is known of the last one. */
const archives = new Map<string, Buffer>()
let known: KnownContent | null = null
let number = 0

beforeAll(async () => {
  t = await startEeServer()
  identity = await generateX25519Identity()
  recipient = await identityToRecipient(identity)
  site = eeSpec(t.server, { id: 'increment1', domain: 'increments.example.com', title: 'Kept' })
  await runSteps(t.engine.createSteps(site))
  await put('wp-content/uploads/large.bin', randomBytes(3_000_000))
  await put('wp-content/uploads/2026/é "1".bin', randomBytes(300_000))
})
afterAll(() => t?.end())

const inSite = (path: string) => join(t.root, 'opt/easyengine/sites', site.domain, 'app/htdocs', path)
const packedIn = (path: string) => join(t.root, 'var/lib/easydash/packed', site.id, path)
async function put(path: string, content: Buffer | string): Promise<void> {
  await mkdir(join(inSite(path), '..'), { recursive: true })
  await writeFile(inSite(path), content)
}

interface Made {
  readonly name: string
  readonly sealed: SealedSite
  readonly log: string
}

/** Backs the site up as `sealingOfNew` does, and keeps the archive. */
async function backedUp(change: Partial<Sealing> = {}): Promise<Made> {
  number += 1
  const name = `backup${String(number).padStart(4, '0')}`
  const sealing: Sealing = {
    recipient,
    attempt: async () => null,
    async compare(tar) {
      const listed = known && (await compareListed(name, tar, known))
      return (
        listed && {
          ranges: listed.ranges,
          async pack(sha256, { site: domain, created }) {
            const about = { backup: name, site: domain, created }
            const packed = await packIncrement({ ...listed.compared, sha256 }, about)
            known = packed.content
            return packed
          },
        }
      )
    },
    async keep(tar) {
      known = await listedContent(name, tar)
    },
    ...change,
  }
  const { direct } = t.engine.backups
  const log = await runSteps(direct?.packSteps(site, async () => sealing) ?? [])
  const sealed = (await direct?.packed(site)) ?? expect.fail('Nothing is on the server')
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const clear = await decrypter.decrypt(await readFile(packedIn('archive.age')))
  archives.set(name, zstdDecompressSync(clear))
  return { name, sealed, log: log.join('\n') }
}

/** The whole archive of a backup, unpacked. */
async function wholeOf({ name, sealed }: Made): Promise<Buffer> {
  const own = archives.get(name) ?? expect.fail()
  if (sealed.needs === null) return own
  const paths = new Map<string, string>()
  for (const one of [...sealed.needs, name]) {
    paths.set(one, join(t.root, `${one}.tar`))
    await writeFile(join(t.root, `${one}.tar`), archives.get(one) ?? expect.fail())
  }
  const increment = await readIncrement(paths.get(name) ?? '')
  expect(increment?.about).toMatchObject({ backup: name, needs: sealed.needs })
  return buffer(Readable.from(putTogether(increment ?? expect.fail(), paths)))
}

async function filesOf(tar: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  await readTar(Readable.from([tar]), ({ name, type }) => {
    const chunks: Buffer[] = []
    const end = () => void (type === 'file' && files.set(name, Buffer.concat(chunks)))
    return { write: (chunk) => void chunks.push(chunk), end }
  })
  return files
}

test('after a full archive a server sends what is new, and what is put together of it is the archive to the bit', async () => {
  const full = await backedUp()
  expect(full.sealed.needs).toBeNull()
  expect(full.log).not.toContain('Everything is stored')
  const first = await filesOf(await wholeOf(full))
  await put('wp-content/uploads/new.bin', randomBytes(40_000))
  await put('wp-content/uploads/2026/moved.bin', first.get('files/wp-content/uploads/2026/é "1".bin') ?? '')
  await rm(inSite('wp-content/uploads/2026/é "1".bin'))
  const next = await backedUp()
  expect(next.sealed.needs).toEqual([full.name])
  expect(next.sealed.size).toBeGreaterThan(3_000_000)
  expect(next.sealed.clear.bytes).toBeLessThan(100_000)
  const whole = await wholeOf(next)
  const second = await filesOf(whole)
  expect([...second.keys()].filter((name) => !first.has(name)).toSorted()).toEqual([
    'files/wp-content/uploads/2026/moved.bin',
    'files/wp-content/uploads/new.bin',
  ])
  expect(second.get('files/wp-content/uploads/large.bin')).toEqual(first.get('files/wp-content/uploads/large.bin'))
  const last = await backedUp()
  // What the full one alone has is not taken from the one after it.
  expect(last.sealed.needs).toEqual([full.name, next.name])
  expect(last.sealed.clear.bytes).toBeLessThan(60_000)

  const path = join(t.root, 'whole.tar.zst')
  await writeFile(path, zstdCompressSync(await wholeOf(last)))
  await put('wp-content/uploads/large.bin', 'lost')
  await runSteps(t.engine.restores.restoreSteps(site, { rehearsal: site, archive: path }, 'all'))
  await t.engine.restores.finishRestore(site)
  expect(await readFile(inSite('wp-content/uploads/large.bin'))).toEqual(
    first.get('files/wp-content/uploads/large.bin'),
  )
  expect(await t.violations()).toEqual([])
  await t.engine.backups.removePacked(site)
})

test('of a dump the tables and rows that changed are sent', async () => {
  const folder = join(t.root, 'var/lib/simulated/databases')
  const [state = ''] = (await readdir(folder)).filter((one) => one.endsWith('.json') && one.includes(site.id))
  const tables = ['wp_options', 'wp_posts', 'wp_users'].map((table) => ({
    table,
    rows: Array.from({ length: 4 }, () => randomBytes(100_000).toString('hex')),
  }))
  const write = () =>
    writeFile(
      join(folder, state.replace('.json', '.sql')),
      `${tables.map(({ table, rows }) => [`-- Table structure for table \`${table}\``, `CREATE TABLE \`${table}\` (\n  \`x\` longtext\n);`, ...rows.map((row) => `INSERT INTO \`${table}\` VALUES ('${row}');`)].join('\n')).join('\n')}\n-- Dump completed\n`,
    )
  await write()
  await backedUp()
  const changed = randomBytes(5_000).toString('hex')
  tables[1]?.rows.splice(2, 1, changed)
  await write()
  const next = await backedUp()
  expect(next.sealed.needs?.length).toBeGreaterThan(0)
  expect(next.sealed.clear.bytes).toBeLessThan(60_000)
  const dump = String((await filesOf(await wholeOf(next))).get('database.sql'))
  for (const { rows } of tables) for (const row of rows) expect(dump.includes(row)).toBe(true)
})

test('a server whose tar is longer than expected sends everything, and the log says why; one that makes it otherwise the second time, nothing', async () => {
  known ??= await backedUp().then(() => known)
  const program = join(t.root, 'bin/tar')
  // It pads its tar with more than others.
  await writeFile(
    program,
    '#!/bin/sh\n/usr/bin/tar "$@" || exit\ncase "$*" in *README.txt*) head -c 10240 /dev/zero ;; esac\n',
    {
      mode: 0o755,
    },
  )
  const before = known
  const other = await backedUp()
  await rm(program)
  expect(other.sealed.needs).toBeNull()
  expect(other.log).toContain('not as long as its files say')
  // Nothing is known of it.
  expect(known).toBe(before)
  await writeFile(
    program,
    '#!/bin/sh\ncase "$*" in *--remove-files*) /usr/bin/tar "$@" | tr R r ;; *) exec /usr/bin/tar "$@" ;; esac\n',
    { mode: 0o755 },
  )
  await expect(backedUp()).rejects.toMatchObject({ message: expect.stringContaining('could not be made') as string })
  await rm(program)
  expect(await readdir(packedIn('..'))).toEqual([])
})
