import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { Encrypter } from 'age-encryption'
import { partBytes, partOf, PartRefused, triedContent, type SendPart } from '#server/platform/network/sent-parts.ts'
import type { DirectBackups, SiteBackups } from '../site-backups.ts'
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
          const { file } = await backups.packed(site)
          const encrypter = new Encrypter()
          encrypter.addRecipient(sealing.recipient)
          const encrypted = await encrypter.encrypt(await buffer(file.open()))
          writeFileSync(pathOf(site), encrypted)
        },
      })),
    async packed(site) {
      if (!existsSync(pathOf(site))) return null
      const content = readFileSync(pathOf(site))
      const { file, ...about } = await backups.packed(site)
      const pieces = Array.from({ length: Math.ceil(content.length / partBytes) }, (_, at) =>
        content.subarray(at * partBytes, (at + 1) * partBytes),
      )
      return {
        ...about,
        size: file.size,
        sha256: partOf(await buffer(file.open())).sha256,
        parts: pieces.map(partOf),
        sending: (signal) => sender(pieces, signal),
      }
    },
  }
}

const sender =
  (pieces: readonly Buffer[], signal: AbortSignal): SendPart =>
  async (_part, { number, url, headers }) => {
    const body = new Uint8Array(pieces[number - 1] ?? [])
    const response = await fetch(url, { method: 'PUT', headers, body, signal })
    if (response.ok) return response.headers.get('etag') ?? ''
    throw new PartRefused(response.status, /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1] ?? '')
  }
