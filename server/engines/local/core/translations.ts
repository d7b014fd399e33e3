import { download } from '#server/platform/network/download.ts'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { isObject } from '#shared/parse-json.ts'
import { isLocale } from '#shared/rules/wordpress-settings.ts'
import { listedTranslation, type Translation } from '../../translations.ts'
import type { WordPressOrg } from './wordpress-org.ts'

const answerTimeoutMs = 10_000
const mostListed = 500
/** The largest translations take about 3 MB packed. */
const maxBytes = 32 * 1024 * 1024

/**
 * The translations for a version of WordPress (https://codex.wordpress.org/WordPress.org_API#Translations); null if wordpress.org
 * does not answer.
 */
export async function listTranslations(
  org: WordPressOrg,
  version: string,
  signal: AbortSignal,
): Promise<Translation[] | null> {
  try {
    const query = new URLSearchParams({ version })
    const response = await safeFetch(`${org.api}/translations/core/1.0/?${query}`, {
      profile: org.profile,
      timeoutMs: answerTimeoutMs,
      signal,
    })
    const body: unknown = response.status === 200 ? JSON.parse(response.body.toString('utf8')) : null
    const listed: unknown = isObject(body) ? body['translations'] : null
    if (!Array.isArray(listed)) return null
    return listed.slice(0, mostListed).flatMap((one: unknown) => translationOf(one) ?? [])
  } catch {
    // Offline, blocked or not JSON.
    signal.throwIfAborted()
    return null
  }
}

function translationOf(one: unknown): Translation | null {
  if (!isObject(one)) return null
  const { language: locale, version, english_name: name, native_name: native } = one
  if (typeof locale !== 'string' || !isLocale(locale)) return null
  if (typeof version !== 'string' || !/^\d{1,3}(?:\.\d{1,3}){1,2}$/.test(version)) return null
  return { locale, version, name: shortText(name, locale), native: shortText(native, locale) }
}

const shortText = (value: unknown, otherwise: string) =>
  typeof value === 'string' && value !== '' ? value.slice(0, 100) : otherwise

/** Downloads a translation as a ZIP file. Throws EngineError `not_found` or `unavailable`. */
export async function downloadTranslation(
  org: WordPressOrg,
  { version, locale }: { readonly version: string; readonly locale: string },
  { file, signal }: { readonly file: string; readonly signal: AbortSignal },
): Promise<void> {
  const one = listedTranslation(await listTranslations(org, version, signal), { version, locale })
  await download(`${org.downloads}/translation/core/${one.version}/${locale}.zip`, {
    toFile: file,
    maxBytes,
    timeoutMs: 120_000,
    operatorOrigins: org.operatorOrigins,
    signal,
  })
}
