import { isObject } from '#shared/parse-json.ts'
import { defaultPhpLimits, isPhpLimit, memoryLimitsMb, uploadLimitsOf } from '#shared/rules/php-limits.ts'
import { knownProtections, type SiteProtection } from '#shared/rules/site-protections.ts'
import type { EngineSettings } from '../../site-settings.ts'

/** Settings in a site's record. Absent ones have their default. */
export interface RecordSettings {
  memoryMb?: number
  uploadMb?: number
  /** Milliseconds since 1970. */
  debugUntil?: number
  maintenance?: true
  httpAuth?: StoredHttpAuth
  protections?: readonly SiteProtection[]
  preview?: StoredPreview
}

/** HTTP authentication without the password, which is random: a plain hash of it can't be guessed. */
export interface StoredHttpAuth {
  user: string
  /** SHA-256 of `user:password`, hexadecimal. */
  hash: string
}

/** A preview link, without its token. */
export interface StoredPreview {
  /** SHA-256 of the token, hexadecimal. */
  hash: string
  /** Milliseconds since 1970. */
  until: number
}

/** Keeps the valid settings of a record. */
export function parseRecordSettings(value: unknown): RecordSettings {
  if (!isObject(value)) return {}
  const { memoryMb, uploadMb, debugUntil, maintenance } = value
  const protections = Array.isArray(value['protections']) ? knownProtections(value['protections']) : []
  const httpAuth = parseHttpAuth(value['httpAuth'])
  const preview = parsePreview(value['preview'])
  return {
    ...(isPhpLimit(memoryLimitsMb, memoryMb) ? { memoryMb } : {}),
    ...(isPhpLimit(uploadLimitsOf('local'), uploadMb) ? { uploadMb } : {}),
    ...(typeof debugUntil === 'number' && Number.isSafeInteger(debugUntil) ? { debugUntil } : {}),
    ...(maintenance === true ? { maintenance } : {}),
    ...(httpAuth === null ? {} : { httpAuth }),
    ...(protections.length === 0 ? {} : { protections }),
    ...(preview === null ? {} : { preview }),
  }
}

function parseHttpAuth(value: unknown): StoredHttpAuth | null {
  if (!isObject(value)) return null
  const { user, hash } = value
  const fits = typeof user === 'string' && typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)
  return fits ? { user, hash } : null
}

function parsePreview(value: unknown): StoredPreview | null {
  if (!isObject(value)) return null
  const { hash, until } = value
  const fits = typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) && Number.isSafeInteger(until)
  return fits ? { hash, until: Number(until) } : null
}

/** The settings as they apply at a time (milliseconds since 1970). */
export function engineSettings(
  { settings = {}, stopped }: { readonly settings?: RecordSettings; readonly stopped?: boolean },
  now: number,
): EngineSettings {
  const { memoryMb, uploadMb, debugUntil, maintenance, httpAuth, protections = [], preview } = settings
  return {
    memoryMb: memoryMb ?? defaultPhpLimits('local').memoryMb,
    uploadMb: uploadMb ?? defaultPhpLimits('local').uploadMb,
    debugUntil: debugUntil !== undefined && debugUntil > now ? debugUntil : null,
    maintenance: maintenance === true,
    httpAuthUser: httpAuth?.user ?? null,
    protections,
    previewUntil: preview !== undefined && preview.until > now ? preview.until : null,
    suspended: stopped === true,
  }
}
