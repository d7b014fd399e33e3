/** Backups that are damaged inside, for tests, and what is found out about them. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { expect } from 'vitest'
import { readTar } from '#server/platform/files/tar.ts'
import type { BackupDefect } from '#shared/rules/backups.ts'
import { pad, tarEnd, tarHeader } from './raw-tar.ts'
import { EngineError, type SiteSpec } from '#server/engines/engine.ts'
import type { ImportSpec } from '#server/engines/site-imports.ts'
import type { SiteManifest } from '#server/engines/site-manifest.ts'
import { startFixture, type EngineFixture } from '#server/engines/local/engine-fixture.ts'
import { runAll } from '#server/engines/local/backups/backup-fixture.ts'

/** What is found out about an archive: that it can't be read or judged, or its defects. */
type Verdict = 'unreadable' | 'inconclusive' | readonly BackupDefect[]

/** An engine whose backups are damaged. */
export interface Sabotage {
  readonly fixture: EngineFixture
  packed(site: SiteSpec): Promise<{ archive: Buffer; manifest: SiteManifest }>
  /** `then` gets what was made of the archive. */
  verdictOn(
    site: SiteSpec,
    archive: Buffer,
    then?: (rehearsal: SiteSpec, path: string) => Promise<void>,
  ): Promise<Verdict>
  /** Restores what was made of an archive in place, which must be refused for a reason and leave nothing begun. */
  expectRefused(site: SiteSpec, rehearsal: SiteSpec, archive: string, reason: string): Promise<void>
  /** Makes a new site of an archive, which stays for comparisons. */
  newSiteOf(site: SiteSpec, archive: Buffer): Promise<ImportSpec>
  end(): Promise<void>
}

/** Starts it. */
export async function startSabotage(): Promise<Sabotage> {
  const fixture = await startFixture()
  const folder = await mkdtemp(join(tmpdir(), 'sabotage-'))
  const { backups, imports, rehearsals, restores } = fixture.engine
  let number = 0
  return {
    fixture,
    async packed(site) {
      await runAll(backups.packSteps(site))
      const { file, manifest, files } = await backups.packed(site)
      return { archive: await buffer(file.open()), manifest: { ...manifest, files: await Array.fromAsync(files()) } }
    },
    async verdictOn(site, archive, then) {
      number += 1
      const path = join(folder, `${number}.tar.zst`)
      await writeFile(path, archive)
      const rehearsal = { ...site, id: `sabotage${String(number).padStart(2, '0')}`, domain: `rehearsal-${number}` }
      try {
        await runAll(rehearsals.rehearseSteps(rehearsal, path))
        const { defects, inconclusive } = await rehearsals.judge(rehearsal, AbortSignal.timeout(300_000))
        await then?.(rehearsal, path)
        return inconclusive === null ? defects : 'inconclusive'
      } catch (error) {
        if (error instanceof EngineError && error.code === 'invalid') return 'unreadable'
        throw error
      } finally {
        await fixture.engine.destroy(rehearsal)
        await rm(path)
      }
    },
    async expectRefused(site, rehearsal, archive, reason) {
      for (const what of site.siteType === 'wp' ? (['all', 'database'] as const) : (['all'] as const)) {
        await expect(runAll(restores.restoreSteps(site, { rehearsal, archive }, what))).rejects.toMatchObject({
          code: 'invalid',
          message: expect.stringContaining(reason),
        })
        expect(await restores.undoRestore(site, 'op')).toBe('undone')
      }
    },
    async newSiteOf(site, archive) {
      number += 1
      const path = join(folder, `${number}.tar.zst`)
      const target = {
        ...{ ...site, id: `newsite${String(number).padStart(3, '0')}`, domain: `new-${number}`, title: null },
        ...{ archive: randomBytes(16).toString('hex'), fileName: 'site.tar.zst', isBackup: true as const },
      }
      await writeFile(path, archive)
      await imports.take(target.archive, path)
      try {
        await runAll(imports.importSteps(target))
      } catch (error) {
        await fixture.engine.destroy(target)
        await imports.discard(target.archive)
        throw error
      } finally {
        await rm(path, { force: true })
      }
      return target
    },
    async end() {
      await fixture.end()
      await rm(folder, { recursive: true })
    },
  }
}

/** The archive with a text in place of another one of the same length. */
export function swapped(archive: Buffer, pairs: readonly (readonly [from: string, to: string])[]): Buffer {
  const tar = zstdDecompressSync(archive)
  for (const [from, to] of pairs) {
    const at = tar.lastIndexOf(from)
    expect([from, at, from.length]).toEqual([from, expect.any(Number), to.length])
    expect(at).toBeGreaterThan(0)
    tar.write(to, at)
  }
  return zstdCompressSync(tar)
}

/** A member of an archive; `header` in place of the usual one. */
export interface Member {
  readonly name: string
  readonly content: Buffer
  readonly isFolder?: boolean
  readonly header?: Buffer
}
/** A backup whose parts can be exchanged. */
export interface Whole {
  readonly archive: Buffer
  readonly members: readonly Member[]
}

/** The members of an archive. */
export async function takeApart(archive: Buffer): Promise<Whole> {
  const members: Member[] = []
  const tar = async function* () {
    yield zstdDecompressSync(archive)
  }
  await readTar(tar(), ({ name, type }) => {
    const chunks: Buffer[] = []
    return {
      write: (chunk) => void chunks.push(chunk),
      end: () => void members.push({ name, content: Buffer.concat(chunks), isFolder: type === 'directory' }),
    }
  })
  return { archive, members }
}

const bytesOf = ({ name, content, isFolder, header }: Member): Buffer =>
  Buffer.concat([
    header ??
      tarHeader({ name, type: isFolder === true ? 'directory' : 'file', size: content.length, mode: 0o644, mtime: 1 }),
    pad(content),
  ])
/** A tar file of members. */
export const tarOf = (members: readonly Member[]): Buffer => Buffer.concat([...members.map(bytesOf), tarEnd])
/** An archive of members. */
export const packedFrom = (members: readonly Member[]): Buffer => zstdCompressSync(tarOf(members))

/** The members with another content of some; null: without it. */
export const having = ({ members }: Whole, changed: Readonly<Record<string, Buffer | string | null>>): Member[] =>
  members.flatMap((member) => {
    const content = changed[member.name]
    if (content === undefined) return [member]
    return content === null ? [] : [{ ...member, content: Buffer.from(content) }]
  })
/** The content of a member. */
export const contentIn = ({ members }: Whole, name: string): Buffer => {
  const member = members.find((one) => one.name === name)
  if (member === undefined) throw new Error(`The archive has no ${name}`)
  return member.content
}
type Said = SiteManifest & Record<string, unknown>
/** The members with a manifest that says something else. */
export const saying = (whole: Whole, change: (said: Said) => object): Member[] =>
  having(whole, { 'manifest.json': JSON.stringify(change(JSON.parse(String(contentIn(whole, 'manifest.json'))))) })
/** The archive with another dump, of which the manifest says that it is its own. */
export function withDump(whole: Whole, dump: string): Buffer {
  const sha256 = createHash('sha256').update(dump).digest('hex')
  const database = { file: 'database.sql', bytes: Buffer.byteLength(dump), sha256 }
  return packedFrom(
    having({ ...whole, members: saying(whole, (said) => ({ ...said, database })) }, { 'database.sql': dump }),
  )
}
