import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { constants, lstatSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, posix } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { SiteKind } from '../../site-ref.ts'
import { withoutSitePath } from '../network/site-path.ts'

/** Content types by extension; everything else is downloaded. */
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
  '.xsl': 'text/xsl',
  '.csv': 'text/csv; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.bmp': 'image/bmp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.eot': 'application/vnd.ms-fontobject',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.ogg': 'audio/ogg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mov': 'video/quicktime',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.wasm': 'application/wasm',
}
/** Files up to this size are sent from one read. */
const oneReadBytes = 256 * 1024
/** Never served: code, databases, logs and dumps, and backup copies left by editors and users. */
const closedFiles = [
  /\.(php\d?|phtml|phps|phar|inc)[\s.]*$/i,
  /\.(sqlite\d?|db)(-(journal|wal|shm))?$/i,
  /\.(log|bak|swp|swo|orig|old|save)$|~$/i,
  /\.(sql|dump)(\.(gz|bz2|xz|zst|zip))?$/i,
  /\/wp-config[^/]*$/i,
]

/**
 * The decoded path of a request target, `..` resolved; null if it is malformed. Bytes that are no UTF-8 become lone surrogates, so it
 * is well formed if and only if it is text: no file of a site has another name, but WordPress may have pages of older addresses.
 */
export function decodePath(url: string): string | null {
  const raw = url.replace(/[?#].*$/s, '')
  if (!raw.startsWith('/') || /%(?![\da-f]{2})/i.test(raw)) return null
  const decoded = raw.replace(/(?:%[\da-f]{2})+/gi, decodeBytes)
  return decoded.includes('\0') || decoded.includes('\\') ? null : posix.normalize(decoded)
}

/** The text of bytes like `%C3%A4`. */
function decodeBytes(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    const bytes = Buffer.from(encoded.replaceAll('%', ''), 'hex')
    // One wrong byte must not hide a dot or a slash beside it.
    return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join('')
  }
}

/** The bytes of a decoded path, encoded. */
export function encodePath(path: string): string {
  return Array.from(path, (character) =>
    character.isWellFormed() ? encodeURIComponent(character) : `%${(character.charCodeAt(0) - 0xdc00).toString(16)}`,
  ).join('')
}

/** Whether a path must never be served: hidden files and the database's folder. PHP must not run there either. */
export function isClosedPath(path: string): boolean {
  const segments = path.split('/')
  const hidden = segments.some(
    (segment, index) => segment.startsWith('.') && !(index === 1 && segment === '.well-known'),
  )
  return hidden || /^\/+wp-content\/+database(\/|$)/i.test(path)
}

/** Opens a file; null if it doesn't exist (any more) or must not be served. */
export type OpenStatic = (path: string) => Promise<FileHandle | null>

/** For the site's own process, which has no more privileges than the site. */
const openPlain: OpenStatic = (path) => open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)

/**
 * Serves a file of the site's folder if the request is for one.
 * @param root the site's `www` folder
 * @param site `isNetwork`: it is a sub-directory network, whose sites have the same files
 * @param openFile opens the file; a caller with more privileges than the site must protect it (`open-in-place.ts`), because
 * the site may change the files at any moment
 * @returns false if PHP must handle the request; true if it was answered
 */
export async function serveStatic(
  root: string,
  { siteType, isNetwork }: { readonly siteType: SiteKind; readonly isNetwork: boolean },
  request: IncomingMessage,
  response: ServerResponse,
  openFile: OpenStatic = openPlain,
): Promise<boolean> {
  const asked = decodePath(request.url ?? '/')
  if (asked === null) return sendError(response, 400, 'Bad request.')
  const path = (isNetwork && lookUp(root, asked) === null ? withoutSitePath(asked) : null) ?? asked
  if (isClosedPath(asked) || isClosedPath(path)) return sendError(response, 404, 'Not found.')
  const reading = request.method === 'GET' || request.method === 'HEAD'
  if (!reading)
    return siteType === 'html' ? sendError(response, 405, 'This site only answers reading requests.') : false
  if (/\.php(\/|$)/i.test(path) && siteType !== 'html') return false
  if (closedFiles.some((pattern) => pattern.test(path))) return sendError(response, 404, 'Not found.')
  const found = findFile(root, path, siteType)
  if (found.kind === 'folder') {
    response.writeHead(301, { location: `${encodeURI(asked)}/` }).end()
    return true
  }
  if (found.kind === 'none')
    return siteType === 'html' || found.isDenied ? sendError(response, 404, 'Not found.') : false
  const file = await openFile(found.path)
  if (file === null) return sendError(response, 404, 'Not found.')
  await sendFile(file, found.path, request, response)
  return true
}

type Found = { kind: 'file'; path: string } | { kind: 'folder' } | { kind: 'none'; isDenied: boolean }

function findFile(root: string, path: string, siteType: SiteKind): Found {
  const found = lookUp(root, path)
  if (found === null) return { kind: 'none', isDenied: false }
  if (found === 'denied') return { kind: 'none', isDenied: true }
  if (found.kind === 'file')
    return path.endsWith('/') ? { kind: 'none', isDenied: true } : { kind: 'file', path: found.path }
  // On PHP sites, PHP handles folders with an index.php.
  if (siteType !== 'html' && lookUp(root, posix.join(path, 'index.php')) !== null)
    return { kind: 'none', isDenied: false }
  const index = lookUp(root, posix.join(path, 'index.html'))
  if (index === null || index === 'denied' || index.kind === 'folder')
    return { kind: 'none', isDenied: index === 'denied' }
  return path.endsWith('/') ? { kind: 'file', path: index.path } : { kind: 'folder' }
}

/**
 * The file or folder at a path, or null. Links are never followed, whatever their target: a site must not expose files of
 * this machine. (`realpath` needs access to the parent folders, which a site's process lacks.) Opening the file checks
 * again. Synchronous: a check takes microseconds, thirty times less than a detour through the thread pool.
 */
function lookUp(root: string, path: string): { path: string; kind: 'file' | 'folder' } | 'denied' | null {
  if (!path.isWellFormed()) return null
  let current = root
  let folder = true
  for (const segment of path.split('/').filter((part) => part !== '')) {
    if (!folder) return null
    current = join(current, segment)
    try {
      const stats = lstatSync(current)
      if (!stats.isFile() && !stats.isDirectory()) return 'denied'
      folder = stats.isDirectory()
    } catch (error) {
      const code = systemErrorCode(error)
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null
      if (code === 'EACCES') return 'denied'
      throw error
    }
  }
  return { path: current, kind: folder ? 'folder' : 'file' }
}

function sendError(response: ServerResponse, status: number, text: string): true {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' })
  response.end(`${text}\n`)
  return true
}

async function sendFile(
  file: FileHandle,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await sendOpenFile(file, path, request, response)
  } catch (error) {
    // A visitor who disconnected is not an error.
    if (!response.destroyed && !request.destroyed) throw error
  } finally {
    await file.close()
  }
}

async function sendOpenFile(
  file: FileHandle,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const stats = await file.stat()
  const etag = `"${stats.size.toString(36)}-${Math.round(stats.mtimeMs).toString(36)}"`
  const headers: Record<string, string> = {
    'content-type': types[extname(path).toLowerCase()] ?? 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    etag,
    'last-modified': stats.mtime.toUTCString(),
    // WordPress adds the version to the query of its links; everything else is revalidated.
    'cache-control': /[?&]ver=/.test(request.url ?? '') ? 'public, max-age=86400' : 'no-cache',
  }
  if (isUnchanged(request, etag, stats.mtimeMs)) {
    response.writeHead(304, headers).end()
    return
  }
  const range = rangeOf(request, stats.size, etag)
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...headers, 'content-range': `bytes */${stats.size}` }).end()
    return
  }
  const { start, end } = range ?? { start: 0, end: stats.size - 1 }
  headers['content-length'] = String(end - start + 1)
  if (range !== null) headers['content-range'] = `bytes ${start}-${end}/${stats.size}`
  response.writeHead(range === null ? 200 : 206, headers)
  if (request.method === 'HEAD' || stats.size === 0) response.end()
  else if (end - start < oneReadBytes) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - start + 1), 0, end - start + 1, start)
    if (bytesRead === buffer.length) response.end(buffer)
    else response.destroy()
  } else await pipeline(file.createReadStream({ start, end, autoClose: false }), response)
}

function isUnchanged(request: IncomingMessage, etag: string, mtimeMs: number): boolean {
  const tags = request.headers['if-none-match']
  if (tags !== undefined)
    return tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*')
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  return !Number.isNaN(since) && Math.floor(mtimeMs / 1000) * 1000 <= since
}

/** The requested range; null: the whole file. Several ranges are answered with the whole file, which is allowed. */
function rangeOf(
  request: IncomingMessage,
  size: number,
  etag: string,
): { start: number; end: number } | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '')
  const condition = request.headers['if-range']
  if (match === null || (condition !== undefined && condition !== etag)) return null
  const [, from = '', to = ''] = match
  if (from === '' && to === '') return null
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return start > end || start >= size ? 'unsatisfiable' : { start, end }
}
