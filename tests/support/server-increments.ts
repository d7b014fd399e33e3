/** Backups that a server makes itself, of which only what is new is stored after the first one. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { SiteSpec } from '#server/engines/engine.ts'
import type { SealedSite, Sealing } from '#server/engines/site-backups.ts'
import {
  packIncrement,
  putTogether,
  readIncrement,
} from '#server/features/sites/backups/increments/increment-archive.ts'
import type { KnownContent } from '#server/features/sites/backups/increments/known-content.ts'
import { compareListed, listedContent } from '#server/features/sites/backups/increments/listed-content.ts'
import { runSteps } from '../contracts/run-steps.ts'
import type { EeServer } from './ee-server.ts'

/** A backup that was made. */
interface MadeBackup {
  readonly name: string
  readonly sealed: SealedSite
  readonly log: string
}

/** What tests do with the backups of a site, each of which builds on the one before. */
export interface ServerIncrements {
  backedUp(): Promise<MadeBackup>
  /** The whole archive, unpacked, put together of those that it needs. */
  wholeOf(made: MadeBackup): Promise<Buffer>
  /** What is known of the last one. */
  known(): KnownContent | null
}

/** Begins with a full backup. */
export async function serverIncrements(t: EeServer, site: SiteSpec): Promise<ServerIncrements> {
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  const archives = new Map<string, Buffer>()
  let known: KnownContent | null = null

  const sealingOf = (name: string): Sealing => ({
    recipient,
    attempt: async () => null,
    async compare(tar) {
      const listed = known && (await compareListed(name, tar, known))
      if (!listed) return null
      return {
        ranges: listed.ranges,
        async pack(sha256, { site: domain, created }) {
          const about = { backup: name, site: domain, created }
          const packed = await packIncrement({ ...listed.compared, sha256 }, about)
          known = packed.content
          return packed
        },
      }
    },
    async keep(tar) {
      known = await listedContent(name, tar)
    },
  })
  const archiveOf = (name: string): Buffer => {
    const archive = archives.get(name)
    if (archive) return archive
    throw new Error(`There is no archive ${name}`)
  }

  return {
    async backedUp() {
      const name = `backup${String(archives.size).padStart(4, '0')}`
      const { direct } = t.engine.backups
      const log = await runSteps(direct?.packSteps(site, async () => sealingOf(name)) ?? [])
      const sealed = await direct?.packed(site)
      if (!sealed) throw new Error('Nothing is on the server')
      const decrypter = new Decrypter()
      decrypter.addIdentity(identity)
      const stored = await readFile(join(t.root, 'var/lib/easydash/packed', site.id, 'archive.age'))
      archives.set(name, zstdDecompressSync(await decrypter.decrypt(stored)))
      return { name, sealed, log: log.join('\n') }
    },
    async wholeOf({ name, sealed }) {
      if (sealed.needs === null) return archiveOf(name)
      const paths = new Map([...sealed.needs, name].map((one) => [one, join(t.root, `${one}.tar`)]))
      for (const [one, path] of paths) await writeFile(path, archiveOf(one))
      const increment = await readIncrement(paths.get(name) ?? '')
      if (!increment) throw new Error(`It is no increment: ${name}`)
      return buffer(Readable.from(putTogether(increment, paths)))
    },
    known: () => known,
  }
}
