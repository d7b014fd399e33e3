import { createHash, type Hash } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { translate, withResponse } from './fetch.ts'
import type { Resolver } from './safe-connect.ts'
import { sameSecret } from '../secrets/tokens.ts'

/** Hosts allowed for downloads by default; `WORDPRESS_ORG_URL` replaces these three. */
export const DOWNLOAD_HOSTS: readonly string[] = ['wordpress.org', 'api.wordpress.org', 'downloads.wordpress.org']

/** Options for downloading a large file from a fixed host. */
export interface DownloadOptions {
  /** Target path; its folder must exist. */
  toFile: string
  /** Maximum size in bytes. */
  maxBytes: number
  /** Expected checksum in hex, if the publisher provides one. */
  checksum?: { algorithm: 'sha256' | 'sha1' | 'md5'; hex: string }
  /** Origins in settings that replace a vendor's, e.g. `http://127.0.0.1:4000`. */
  operatorOrigins?: readonly string[]
  /** Default 10 minutes. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Bytes so far and, if the server sends it, the total. */
  progress?: (bytes: number, total: number | null) => void
  resolve?: Resolver
}

const DEFAULT_TIMEOUT_MS = 600_000

/**
 * Downloads into a file, completely and verified or not at all. Only https on the fixed hosts, or an origin the operator
 * configured; no redirects. Returns size and SHA-256. Throws `invalid`, `unavailable` or `too_large`.
 */
export async function download(
  url: string | URL,
  options: DownloadOptions,
): Promise<{ bytes: number; sha256: string }> {
  const parsed = new URL(url)
  const byOperator = options.operatorOrigins?.includes(parsed.origin) === true
  if (
    !byOperator &&
    !(parsed.protocol === 'https:' && parsed.port === '' && DOWNLOAD_HOSTS.includes(parsed.hostname))
  ) {
    throw new AppError('invalid', msg`Downloads from ${parsed.host} are not allowed.`)
  }
  const timeout = AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const deadline = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
  // A fixed host that suddenly resolves to an internal address is rejected like a tenant's.
  const profile = byOperator ? ('operator' as const) : ('tenant' as const)
  const connection = {
    profile,
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.resolve ? { resolve: options.resolve } : {}),
  }
  const temporary = `${options.toFile}.part-${process.pid}`
  const sha256 = createHash('sha256')
  const other =
    options.checksum && options.checksum.algorithm !== 'sha256' ? createHash(options.checksum.algorithm) : null
  try {
    const bytes = await withResponse(parsed, connection, deadline, async ({ statusCode, headers, body }) => {
      if (statusCode !== 200) {
        throw new AppError('unavailable', msg`${parsed.hostname} answered ${String(statusCode)}.`, {
          retryable: statusCode >= 500,
        })
      }
      const length = Number(headers['content-length'])
      const total = Number.isFinite(length) && length > 0 ? length : null
      if (total !== null && total > options.maxBytes) throw tooLarge(parsed)
      return store(body, temporary, {
        maxBytes: options.maxBytes,
        hashes: other ? [sha256, other] : [sha256],
        onBytes: (sum) => {
          options.progress?.(sum, total)
          deadline.throwIfAborted()
        },
        url: parsed,
      })
    })
    const digest = sha256.digest('hex')
    if (options.checksum && !sameSecret(other ? other.digest('hex') : digest, options.checksum.hex.toLowerCase())) {
      throw new AppError(
        'unavailable',
        msg`The file from ${parsed.hostname} is not the published one (checksum differs).`,
        { retryable: true },
      )
    }
    await rename(temporary, options.toFile)
    return { bytes, sha256: digest }
  } catch (error) {
    await rm(temporary, { force: true })
    throw translate(error, parsed, connection, deadline)
  }
}

const tooLarge = (url: URL) => new AppError('too_large', msg`The file from ${url.hostname} is larger than allowed.`)

interface Sink {
  maxBytes: number
  hashes: Hash[]
  onBytes: (sum: number) => void
  url: URL
}

async function store(source: AsyncIterable<Buffer>, path: string, sink: Sink): Promise<number> {
  const file = await open(path, 'w', 0o600)
  let sum = 0
  try {
    for await (const chunk of source) {
      sum += chunk.length
      if (sum > sink.maxBytes) throw tooLarge(sink.url)
      for (const hash of sink.hashes) hash.update(chunk)
      await file.write(chunk)
      sink.onBytes(sum)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return sum
}
