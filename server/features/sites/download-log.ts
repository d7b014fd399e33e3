import { Readable } from 'node:stream'
import { download } from '#server/contracts/files.ts'
import type { Documents } from '#server/contracts/documents.ts'
import { defineMethod } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { data, select } from '#shared/fields.ts'
import { logChunk, type LogChunk } from '#shared/responses/site-logs.ts'
import { logNames } from '#shared/rules/site-logs.ts'
import { binary, described } from '#shared/schema.ts'

/** Maximum size of a downloaded log in bytes. */
const maxBytes = 256 * 1024 * 1024

/** Downloads a log of a site. Reads it with the action `read_log`, so each part of it passes the gate again. */
export const downloadLogMethod = defineMethod({
  name: 'easydash.api.site.download_log',
  access: 'verified',
  // POST, like all calls that reach a site.
  verbs: ['POST'],
  tokens: 'sites:write',
  params: { site: data({ reqd: true }), log: select(logNames, { reqd: true }) },
  description:
    'Streams a log of a site from its first line, as text: at most 256 MB. Who may read it is decided by `read_log`.',
  returns: described(binary, 'The log.'),
  async run({ site: name, log }, { session, documents }) {
    const site = await documents.get(session, SiteDoctype, name)
    // Read before anything is sent, so that a denial gets a proper error response.
    const first = await read(documents, session, site.name, { log, from_start: 1 })
    return download({
      fileName: `${site.domain}-${log}-${new Date().toISOString().slice(0, 10)}.log`,
      contentType: 'text/plain; charset=utf-8',
      length: null,
      tag: null,
      open: () => Readable.from(textOf(documents, session, { site: site.name, log, first })),
    })
  },
})

async function* textOf(
  documents: Documents,
  session: Session,
  { site, log, first }: { site: string; log: string; first: LogChunk },
): AsyncGenerator<string> {
  let sent = 0
  for (let chunk = first; ;) {
    const text = chunk.lines.map((line) => `${line}\n`).join('')
    sent += text.length
    if (text !== '') yield text
    if (!chunk.more || sent > maxBytes) {
      if (chunk.partial !== '') yield chunk.partial
      return
    }
    chunk = await read(documents, session, site, { log, after: chunk.end })
  }
}

async function read(
  documents: Documents,
  session: Session,
  site: string,
  args: Record<string, unknown>,
): Promise<LogChunk> {
  return logChunk.parse(await documents.runAction(session, 'Site', site, 'read_log', args))
}
