import { createHash } from 'node:crypto'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type SiteRef, type WordPressGrant } from '../engine.ts'

/** A site of the fake engine, as stored in its file. */
export interface FakeSite {
  id: string
  domain: string
  siteType: SiteRef['siteType']
  phpVersion: string
  title: string
  adminUser: string
  /** Users that login links created. */
  users?: (WordPressGrant & { login: string; name: string })[]
  done: string[]
  state: 'partial' | 'running' | 'archived' | 'crashed'
  reason: string | null
}

/** PHP versions it claims to support. */
export const phpVersions: readonly string[] = ['8.2', '8.3', '8.4', '8.5']
/** Label of each create step. */
export const createLabels: Readonly<Record<string, string>> = {
  prepare_core: 'Prepare WordPress',
  copy_files: 'Copy WordPress files',
  start_php: 'Start PHP',
  install: 'Install WordPress',
  check: 'Check that the site answers',
}
/** Create steps by site type. */
export const createKeys: Readonly<Record<SiteRef['siteType'], readonly string[]>> = {
  wp: ['prepare_core', 'copy_files', 'start_php', 'install', 'check'],
  php: ['copy_files', 'start_php', 'check'],
  html: ['copy_files', 'check'],
}
/** Screenshot it returns for every site: one color, 480 × 300 pixels (WebP, lossless). */
export const fakeThumbnail: Buffer = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAv38FKACh1k4ve/wIAAA==', 'base64')

/** Throws unless id and domain are valid for every engine. */
export function assertRef(site: Pick<SiteRef, 'id' | 'domain'>): void {
  if (!/^[a-z0-9]{10}$/.test(site.id) || !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(site.domain)) {
    throw new EngineError('invalid', msg`The site has no valid id or name.`, { nextAction: msg`Choose another name.` })
  }
}

/** Throws unless the version is one of `phpVersions`. */
export function assertPhp(version: string): void {
  if (!phpVersions.includes(version))
    throw new EngineError('invalid', msg`PHP ${version} is not available here.`, {
      nextAction: msg`Choose one of ${phpVersions}.`,
    })
}

/** Key of a login token. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Never resolves; rejects with the signal's reason. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
