import { download } from '#server/platform/network/download.ts'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { msg } from '#shared/localized-message.ts'
import { isObject } from '#shared/parse-json.ts'
import { isLocale } from '#shared/rules/wordpress-settings.ts'
import { EngineError } from '../../engine.ts'
import type { WordPressOrg } from './wordpress-org.ts'

const answerTimeoutMs = 10_000
const mostListed = 500
/** The largest translations take about 3 MB packed. */
const maxBytes = 32 * 1024 * 1024

/** A translation of WordPress on wordpress.org. */
export interface Translation {
  readonly locale: string
  /** Version of WordPress it was made for, which may be an earlier one of the same series. */
  readonly version: string
  readonly name: string
  readonly native: string
}

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
  const offered = await listTranslations(org, version, signal)
  if (offered === null) {
    throw new EngineError('unavailable', msg`wordpress.org can’t be reached.`, {
      retryable: true,
      nextAction: msg`Try again later.`,
    })
  }
  const one = offered.find((translation) => translation.locale === locale)
  if (one === undefined) {
    throw new EngineError('not_found', msg`wordpress.org has no translation ${locale} for WordPress ${version}.`, {
      nextAction: msg`Choose another language.`,
    })
  }
  await download(`${org.downloads}/translation/core/${one.version}/${locale}.zip`, {
    toFile: file,
    maxBytes,
    timeoutMs: 120_000,
    operatorOrigins: org.operatorOrigins,
    signal,
  })
}
