import type { CertificateKind } from '#shared/rules/site-certificates.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import { createHash } from 'node:crypto'
import type { WordPressValues } from '#shared/rules/wordpress-settings.ts'
import { msg } from '#shared/localized-message.ts'
import type { BackupDefect } from '#shared/rules/backups.ts'
import { checkDomain } from '#shared/rules/formats.ts'
import { EngineError, type WordPressPerson, type WordPressRole } from '../engine.ts'
import type { EngineAlias } from '../site-domains.ts'
import type { SiteManifest } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EngineServices } from '../site-services.ts'
import type { EngineSettings, HttpAuth } from '../site-settings.ts'
import type { FakeWordPress } from './fake-wordpress-state.ts'

/** What a fake site consists of: its files by path, and rows by kind and name. Both as text. */
export interface FakeContent {
  readonly files: Readonly<Record<string, string>>
  readonly rows: Readonly<Record<string, string>>
}

/** What a restore replaces. */
export interface FakeKept
  extends Pick<FakeContent, 'files'>, Pick<FakeSite, 'title' | 'users' | 'management' | 'wordpress'> {}

/** A site of the fake engine, as stored in its file. */
export interface FakeSite {
  id: string
  domain: string
  siteType: SiteRef['siteType']
  phpVersion: string
  title: string
  adminUser: string
  /** Users that login links created. */
  users?: (Pick<WordPressPerson, 'key' | 'login' | 'name'> & { role: WordPressRole | null })[]
  /** Changed settings, with the password of HTTP authentication, for tests. */
  settings?: Partial<EngineSettings> & { httpAuth?: HttpAuth | null }
  /** Changed settings of WordPress. */
  wordpress?: Partial<WordPressValues>
  /** What they were before the last operation. */
  wordpressBefore?: { readonly operationId: string; readonly wordpress: Partial<WordPressValues> }
  /** Translations that were added. */
  languages?: readonly string[]
  /** Its WordPress, once something was read or changed there. */
  management?: FakeWordPress
  aliases?: EngineAlias[]
  /** Services that were turned on. */
  services?: EngineServices
  /** Its certificate, and when it was made. */
  ssl?: { readonly kind: CertificateKind; readonly from: number } | null
  /** A change of the primary domain that is going on. */
  move?: { from: string; to: string; aliases: readonly EngineAlias[] }
  /** It is being made a network; `before` is its WordPress, if anything was read or changed there. */
  conversion?: { before: FakeWordPress | null }
  database?: SiteDatabaseKind
  /** A move of the database that is going on. */
  databaseMove?: { from: SiteDatabaseKind }
  /** It is a staging site of that one, which had this content when it was made. */
  stagingOf?: { id: string; domain: string; own: string; content: FakeContent }
  /** A push, or its rollback, that is going on. */
  push?: { operation: string; kind: 'push' | 'roll_back'; before: FakeContent }
  /** The content before the last push. */
  pushed?: { at: number; content: FakeContent; after: FakeContent }
  /** A restore of a backup, or taking it back, that is going on. */
  restore?: { operation: string; kind: 'restore' | 'bring_back'; before: FakeKept }
  /** What was there before the last restore. */
  restored?: { at: number; kept: FakeKept }
  /** It is a rehearsal of a backup with this manifest; what of it is damaged. */
  rehearsal?: { manifest: SiteManifest; defects: readonly BackupDefect[] }
  /** A rehearsal that is open until then. */
  openUntil?: number
  settled?: string
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
  network: 'Turn on multisite',
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

const isName = (domain: string) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(domain) || checkDomain(domain) === null

/** Throws unless id and domain are valid for every engine. */
export function assertRef(site: Pick<SiteRef, 'id' | 'domain'>): void {
  if (!/^[a-z0-9]{10}$/.test(site.id) || !isName(site.domain)) {
    throw new EngineError('invalid', msg`The site has no valid id or name.`, { nextAction: msg`Choose another name.` })
  }
}

/** The same for a site that is made: full domains come later. */
export function assertNewRef(site: Pick<SiteRef, 'id' | 'domain'>): void {
  assertRef(site)
  if (site.domain.includes('.'))
    throw new EngineError('invalid', msg`The site has no valid id or name.`, { nextAction: msg`Choose another name.` })
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
