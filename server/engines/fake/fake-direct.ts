import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { Encrypter } from 'age-encryption'
import { partBytes, partOf, PartRefused, triedContent, type SendPart } from '#server/platform/network/sent-parts.ts'
import type { DirectBackups, SealedSite, SiteBackups, TarPiece } from '../site-backups.ts'
import type { SiteRef } from '../site-ref.ts'

/** Where the archive of a site is, encrypted. */
type PathOf = (site: SiteRef) => string

/** Archives that the machine of a fake site sends by itself: this process. */
export function createFakeDirect(backups: Pick<SiteBackups, 'packSteps' | 'packed'>, pathOf: PathOf): DirectBackups {
  return {
    packSteps: (site, to) =>
      backups.packSteps(site).map((step) => ({
        ...step,
        async run(context) {
          rmSync(pathOf(site), { force: true })
          await step.run(context)
          const sealing = await to()
          if (sealing === null) return
          const lack = await sealing.attempt(sender([Buffer.from(triedContent)], context.signal), context.signal)
          if (lack !== null) return context.log(lack)
          const { file, manifest } = await backups.packed(site)
          const whole = await buffer(file.open())
          const tar = zstdDecompressSync(whole)
          const pieces = piecesOf(tar)
          const fresh = await sealing.compare(pieces)
          const packed = await fresh?.pack(partOf(tar).sha256, manifest)
          if (!fresh || !packed) await sealing.keep(pieces)
          const cut = (fresh?.ranges ?? []).map(({ offset, length }) => tar.subarray(offset, offset + length))
          const clear = packed ? zstdCompressSync(Buffer.concat([packed.head, ...cut, packed.tail])) : whole
          const encrypter = new Encrypter()
          encrypter.addRecipient(sealing.recipient)
          const note = {
            size: whole.length,
            clear: { bytes: clear.length, sha256: partOf(clear).sha256 },
            needs: packed?.needs ?? null,
          }
          writeFileSync(`${pathOf(site)}.json`, JSON.stringify(note))
          writeFileSync(pathOf(site), await encrypter.encrypt(clear))
        },
      })),
    async packed(site) {
      if (!existsSync(pathOf(site))) return null
      const content = readFileSync(pathOf(site))
      const { file: _file, ...about } = await backups.packed(site)
      const pieces = Array.from({ length: Math.ceil(content.length / partBytes) }, (_, at) =>
        content.subarray(at * partBytes, (at + 1) * partBytes),
      )
      return {
        ...about,
        ...(JSON.parse(readFileSync(`${pathOf(site)}.json`, 'utf8')) as Pick<SealedSite, 'size' | 'clear' | 'needs'>),
        parts: pieces.map(partOf),
        sending: (signal) => sender(pieces, signal),
      }
    },
  }
}

/** What is in a tar, member by member. */
function piecesOf(tar: Buffer): TarPiece[] {
  const pieces: TarPiece[] = []
  let at = 0
  for (; tar[at]; at += pieces.at(-1)?.bytes ?? 0) {
    const header = tar.subarray(at, at + 512)
    const size = Number.parseInt(header.toString('latin1', 124, 136), 8)
    const content = tar.subarray(at + 512, at + 512 + Math.ceil(size / 512) * 512)
    pieces.push(
      { kind: 'header', bytes: 512, says: header.toString('base64') },
      { kind: 'content', bytes: content.length, sha256: partOf(content).sha256 },
    )
    at += 512
  }
  return [...pieces, { kind: 'unknown', bytes: tar.length - at }]
}

const sender =
  (pieces: readonly Buffer[], signal: AbortSignal): SendPart =>
  async (_part, { number, url, headers }) => {
    const body = new Uint8Array(pieces[number - 1] ?? [])
    const response = await fetch(url, { method: 'PUT', headers, body, signal })
    if (response.ok) return response.headers.get('etag') ?? ''
    throw new PartRefused(response.status, /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1] ?? '')
  }
