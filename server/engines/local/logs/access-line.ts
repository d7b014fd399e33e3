import type { IncomingMessage, ServerResponse } from 'node:http'

/** Maximum length of the path with its query; longer ones are cut. */
const maxTarget = 1_024
/** Maximum length of referrer and user agent. */
const maxHeader = 256

/** What a line of the access log says about a request. */
export interface AccessEntry {
  /** Address of the visitor; null for a request of Easydash itself. */
  readonly address: string | null
  /** Milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** As sent: path and query. */
  readonly target: string
  readonly httpVersion: string
  readonly status: number
  /** Bytes sent, including headers; null if unknown. */
  readonly bytes: number | null
  readonly tookMs: number
  /** Milliseconds that the site itself took; null if it was not asked, or had to be started first. */
  readonly siteMs: number | null
  readonly referrer: string
  readonly userAgent: string
}

/** One line of the access log, as `readAccessLine` reads it: a format that log analyzers know, with two more numbers. */
export function accessLine(entry: AccessEntry): string {
  const { address, at, method, target, httpVersion, status, bytes, tookMs, siteMs, referrer, userAgent } = entry
  return `${address ?? '-'} - - [${clfTime(at)}] "${clean(method, 16)} ${loggedTarget(target)} HTTP/${httpVersion}" ${status} ${bytes ?? '-'} "${loggedReferrer(referrer)}" "${clean(userAgent, maxHeader) || '-'}" ${Math.round(tookMs)} ${siteMs === null ? '-' : Math.round(siteMs)}\n`
}

/** Records a request when its response has ended, however it ends. */
export function onResponseEnd(
  request: IncomingMessage,
  response: ServerResponse,
  options: { own: boolean; now(): number; siteMs(): number | null; record(line: string): void },
): void {
  const started = performance.now()
  const at = options.now()
  const { socket } = request
  const before = socket.bytesWritten
  // A closed socket has no address any more.
  const address = options.own ? null : (socket.remoteAddress?.replace(/^::ffff:/, '') ?? null)
  response.once('close', () => {
    options.record(
      accessLine({
        address,
        at,
        method: request.method ?? '-',
        target: request.url ?? '/',
        httpVersion: request.httpVersion,
        // Nobody got a response.
        status: response.headersSent ? response.statusCode : 499,
        bytes: Number.isFinite(socket.bytesWritten) ? socket.bytesWritten - before : null,
        tookMs: performance.now() - started,
        siteMs: options.siteMs(),
        referrer: request.headers.referer ?? '',
        userAgent: request.headers['user-agent'] ?? '',
      }),
    )
  })
}

/** Words in the names of query parameters whose values let someone in, or are nobody's business. */
const secretPart = /token|api_?key|pass|pwd|secret|nonce|signature|e-?mail/i
/** The same for short ones, which are also parts of other words. */
const secretWord = /(?:^|[^a-z0-9])(?:key|code|sig|auth|session|sid|otp|log|login|hash)(?:$|[^a-z0-9])/i

/** Also in nested names (`user[key]`), and in those where the brackets are percent-encoded. */
function isSecretName(name: string): boolean {
  const plain = name.replace(/%[0-9a-f]{2}/gi, '.')
  return secretPart.test(plain) || secretWord.test(plain)
}

/** Path and query without the values of secrets. A request target may also be a whole URL: only its path is kept. */
export function loggedTarget(target: string): string {
  const cut = target.slice(0, maxTarget)
  const path = cut.startsWith('/') ? cut : cut.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return clean(withoutSecrets(path), maxTarget) || '/'
}

function loggedReferrer(referrer: string): string {
  if (referrer === '') return '-'
  // Only the name of another site matters, and where on the own one a visitor was.
  return clean(withoutSecrets(referrer.slice(0, maxHeader)).replace(/\/\/[^/@?#]*@/, '//'), maxHeader) || '-'
}

function withoutSecrets(path: string): string {
  const at = path.indexOf('?')
  if (at < 0) return path
  const query = path
    .slice(at + 1)
    .split('&')
    .map((part) => {
      const equals = part.indexOf('=')
      return equals > 0 && isSecretName(part.slice(0, equals)) ? `${part.slice(0, equals)}=*****` : part
    })
  return `${path.slice(0, at)}?${query.join('&')}`
}

/** What would end the field or the line, or could not be shown, is escaped as Apache does. */
const special = /["\\]|[^\x20-\x7e]/g

function clean(text: string, most: number): string {
  const cut = text.length > most ? text.slice(0, most) : text
  return cut.replace(special, escapeCharacter)
}

function escapeCharacter(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`
  const code = character.charCodeAt(0)
  // Node reads headers as Latin-1, so a character is a byte.
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : '?'
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** The last formatted second: under load, many lines share it. */
let lastSecond = -1
let lastTime = ''

/** A time as the common log format writes it, in UTC. */
function clfTime(at: number): string {
  const second = Math.floor(at / 1000)
  if (second !== lastSecond) {
    const [year, month, day] = new Date(at).toISOString().slice(0, 10).split('-')
    lastTime = `${day}/${months[Number(month) - 1]}/${year}:${new Date(at).toISOString().slice(11, 19)} +0000`
    lastSecond = second
  }
  return lastTime
}
