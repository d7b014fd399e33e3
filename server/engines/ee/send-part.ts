import { createHash } from 'node:crypto'
import { singleQuoted } from '#server/platform/ssh/quote.ts'
import type { SiteRef } from '../site-ref.ts'
import { targetOf, type EeContext } from './ee-context.ts'
import { outputOf, persistent, type ScriptResult } from './remote.ts'
import { scriptText, type EeScript } from './remote-script.ts'

/** Bytes that one call sends. */
const pieceBytes = 3 * 1_048_576
const pieceMs = 120_000

/** A script that writes its standard input at an offset, which is its last argument. */
export interface SendCall {
  readonly script: EeScript
  readonly args: readonly string[]
  /** Throws for how it ended, if that was not well. */
  readonly assertSent?: (ended: ScriptResult) => unknown
}

/** A script whose standard input is not its text. */
export function argvOf(script: EeScript, args: readonly string[]): string[] {
  const text = singleQuoted(Buffer.from(scriptText(script)).toString('base64'))
  return ['sh', '-c', `script=$(printf %s ${text} | base64 -d) && eval "$script"`, 'easydash', ...args]
}

/** Sends content piece by piece, across broken connections. Returns its SHA-256. */
export async function sendPart(
  context: EeContext,
  site: SiteRef,
  { script, args, assertSent = outputOf }: SendCall,
  content: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<string> {
  const sum = createHash('sha256')
  const argv = argvOf(script, args)
  let at = 0
  for await (const piece of piecesOf(content)) {
    signal.throwIfAborted()
    sum.update(piece)
    const words = [...argv, String(at)]
    // A piece lands where it belongs however often it is sent.
    const sent = await persistent(context, signal, () =>
      context.ssh.send(targetOf(site.server), words, { content: piece, deadlineMs: pieceMs, signal }),
    )
    assertSent(sent)
    at += piece.length
  }
  return sum.digest('hex')
}

async function* piecesOf(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let [held, bytes]: [Buffer[], number] = [[], 0]
  for await (const chunk of content) {
    held.push(chunk)
    bytes += chunk.length
    if (bytes < pieceBytes) continue
    yield Buffer.concat(held)
    ;[held, bytes] = [[], 0]
  }
  if (bytes > 0) yield Buffer.concat(held)
}
