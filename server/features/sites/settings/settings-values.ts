import type { EngineSettings, EngineSettingsChange } from '#server/engines/site-settings.ts'
import { formatTimestamp, parseTimestamp } from '#server/jobs/clock.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { defaultPhpLimits } from '#shared/rules/php-limits.ts'
import { parseProtections, protectionsField } from '#shared/rules/site-protections.ts'

/** What is said after a change of settings was taken back. */
export const settingsAreBack: LocalizedMessage = msg`The site has its previous settings again.`

/** Settings that a site takes up when it starts. */
export type BootSettings = Required<Pick<EngineSettingsChange, 'memoryMb' | 'uploadMb' | 'debugUntil' | 'protections'>>

/** Those of a site's document. */
export function bootSettingsOf(site: Site): BootSettings {
  const { memoryMb, uploadMb } = defaultPhpLimits(site.engine)
  return {
    memoryMb: site.memory_mb ?? memoryMb,
    uploadMb: site.upload_mb ?? uploadMb,
    debugUntil: site.debug_until === null ? null : parseTimestamp(site.debug_until),
    protections: parseProtections(site.protections),
  }
}

/** Fields of the document that show them. */
export function bootFieldsOf({ memoryMb, uploadMb, debugUntil, protections }: Partial<BootSettings>): Partial<Site> {
  return {
    ...(memoryMb === undefined ? {} : { memory_mb: memoryMb }),
    ...(uploadMb === undefined ? {} : { upload_mb: uploadMb }),
    ...(debugUntil === undefined ? {} : { debug_until: timestampOf(debugUntil) }),
    ...(protections === undefined ? {} : { protections: protectionsField(protections) }),
  }
}

const timestampOf = (ms: number | null): string | null => (ms === null ? null : formatTimestamp(ms))

/** Fields of the document that show settings of the engine. */
export function settingsFieldsOf(settings: EngineSettings): Partial<Site> {
  const { maintenance, httpAuthUser, previewUntil } = settings
  return {
    ...bootFieldsOf(settings),
    maintenance: maintenance ? 1 : 0,
    http_auth_user: httpAuthUser,
    preview_until: timestampOf(previewUntil),
    // What it protected is open; what it was is of no use.
    ...(httpAuthUser === null ? { http_auth_password: null } : {}),
  }
}
