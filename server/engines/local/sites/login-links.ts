import { parseOwnJson, isObject } from '#shared/parse-json.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'
import { loginPath } from '../proxy/proxy.ts'
import { stripForeignDomain } from '../proxy/proxy-headers.ts'
import type { SiteRecord } from './site-record.ts'
import { writeJson, type SiteStore } from './site-store.ts'

/** Creates and redeems single-use login links. */
export interface LoginLinks {
  create(record: SiteRecord, user: string, ttlSeconds: number, siteUrl: string): Promise<string>
  redeem(record: SiteRecord, request: IncomingMessage, response: ServerResponse): Promise<void>
}

interface Token {
  user: string
  expiresAt: number
}

/**
 * Tokens are 256 random bits; only their hash is stored, as a file of the site that PHP can't see. Redeeming renames that
 * file, so only one of two simultaneous uses succeeds.
 */
export function createLoginLinks(store: SiteStore, awake: AwakeSites, now: () => number): LoginLinks {
  const fileOf = (record: SiteRecord, token: string): string =>
    join(store.paths(record.id).tokens, `${createHash('sha256').update(token).digest('hex')}.json`)

  const take = async (record: SiteRecord, token: string): Promise<Token | null> => {
    const file = fileOf(record, token)
    const taken = `${file}.${randomBytes(4).toString('hex')}`
    try {
      await rename(file, taken)
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return null
      throw error
    }
    const content = parseOwnJson<Token>(await readFile(taken, 'utf8'))
    await rm(taken, { force: true })
    return content.expiresAt > now() ? content : null
  }

  return {
    create: async (record, user, ttlSeconds, siteUrl) => {
      const { tokens } = store.paths(record.id)
      await mkdir(tokens, { recursive: true, mode: 0o700 })
      await dropExpired(tokens, now())
      const token = randomBytes(32).toString('base64url')
      await writeJson(fileOf(record, token), { user, expiresAt: now() + ttlSeconds * 1000 } satisfies Token)
      return `${siteUrl}${loginPath}?token=${token}`
    },
    redeem: async (record, request, response) => {
      const token = new URL(request.url ?? '/', 'http://site').searchParams.get('token') ?? ''
      // Link previews send HEAD requests, which must not consume the link.
      const valid = request.method === 'GET' && /^[\w-]{43}$/.test(token) ? await take(record, token) : null
      if (valid === null) return redirect(response, '/', [])
      const release = awake.hold(record.id)
      try {
        const process = await awake.wake(record.id)
        const { value, headers } = await process.call('login', { user: valid.user })
        const found = isObject(value) && value['found'] === true
        const host = request.headers.host ?? ''
        const cookies = (headers['set-cookie'] ?? []).map((cookie) => stripForeignDomain(cookie, host))
        redirect(response, found ? '/wp-admin/' : '/', found ? cookies : [])
      } catch (error) {
        throw error instanceof EngineError
          ? error
          : new EngineError('unavailable', msg`The site could not log you in.`, {
              retryable: true,
              nextAction: msg`Open a new link.`,
              cause: error,
            })
      } finally {
        release()
      }
    },
  }
}

function redirect(response: ServerResponse, location: string, cookies: string[]): void {
  response.writeHead(302, {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-length': '0',
    ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
  })
  response.end()
}

async function dropExpired(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    try {
      const token = parseOwnJson<Token>(await readFile(path, 'utf8'))
      if (token.expiresAt <= now) await rm(path, { force: true })
    } catch (error) {
      // Redeemed at this very moment, or a write interrupted by a crash.
      if (error instanceof SyntaxError) await rm(path, { force: true })
      else if (systemErrorCode(error) !== 'ENOENT') throw error
    }
  }
}
