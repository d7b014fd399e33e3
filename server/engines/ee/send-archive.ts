import { PartRefused, type PartTarget, type SentPart } from '#server/platform/network/sent-parts.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { targetOf, type EeContext } from './ee-context.ts'
import { unreadable } from './known-content.ts'
import { isPassing, outputOf, persistent } from './remote.ts'
import { argvOf } from './send-part.ts'

/** Longer than a server tries. */
const sendMs = 600_000

/** A part of an archive on a server, and where it goes. */
interface Sending {
  /** Names the upload on the server. */
  readonly upload: string
  readonly offset: number
  readonly part: SentPart
  readonly target: PartTarget
}

/**
 * Has a server send a part to a store, and returns the ETag that it was answered with. After a broken connection the server is asked what became
 * of it: it sends one part at a time, and none twice that has arrived.
 */
export async function sendArchivePart(
  context: EeContext,
  site: SiteRef,
  { upload, offset, part, target }: Sending,
  signal: AbortSignal,
): Promise<string> {
  const args = [site.id, upload, String(target.number), String(offset), String(part.bytes)]
  const words = argvOf('archive-send', args)
  const content = Buffer.from(curlConfig(target))
  const sent = await persistent(context, signal, () =>
    context.ssh.send(targetOf(site.server), words, { content, deadlineMs: sendMs, signal }),
  ).catch((error: unknown) => {
    if (!isPassing(error)) throw error
    throw new EngineError('unavailable', msg`The connection to the server broke.`, {
      retryable: true,
      nextAction: msg`Try again.`,
      cause: error,
    })
  })
  const output = outputOf(sent)
  const said = (name: string) => new RegExp(`^${name} (.{1,200})$`, 'm').exec(output)?.[1] ?? ''
  const status = Number(said('status'))
  const ended = Number(said('curl'))
  if (ended !== 0)
    throw new EngineError(
      'unavailable',
      reasons[ended] ?? msg`The server’s connection to the store broke (curl ${ended}).`,
      {
        retryable: true,
        nextAction: msg`Look at the network of the server, then try again.`,
      },
    )
  if (status >= 200 && status < 300 && said('etag') !== '') return said('etag')
  if (status >= 300 && status < 600) throw new PartRefused(status, said('code'))
  throw unreadable()
}

const reasons: Readonly<Record<number, LocalizedMessage>> = {
  6: msg`The server can’t find the address of the store.`,
  7: msg`The server can’t connect to the store.`,
  28: msg`The store did not answer the server in time.`,
  60: msg`The server does not trust the certificate of the store.`,
}

/** Addresses are URLs, and headers ours, so nothing in them ends a quoted word. */
const curlConfig = ({ url, headers }: PartTarget): string =>
  [
    `url = "${url}"`,
    ...Object.entries(headers).map(([name, value]) => `header = "${name}: ${value}"`),
    'proto = "=http,https"',
    '',
  ].join('\n')
