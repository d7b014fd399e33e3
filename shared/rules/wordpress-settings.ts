import { msg, type LocalizedMessage } from '../localized-message.ts'

/** Settings of WordPress that Easydash can change. */
export interface WordPressValues {
  title: string
  tagline: string
  /** An identifier such as `Europe/Berlin`, or an offset such as `UTC+5.5`. */
  timezone: string
  /** Locale, e.g. `de_DE`; English is `en_US`. */
  language: string
  /** 1: search engines may index the site. */
  search_engines: 0 | 1
  /** Structure of the addresses of posts; empty: `?p=123`. */
  permalinks: string
  admin_email: string
  /** Id of the page that is the homepage; empty: the latest posts. */
  start_page: string
}

/** Names of the settings, in the order shown. */
export const wordpressSettingNames = [
  'title',
  'tagline',
  'language',
  'timezone',
  'admin_email',
  'start_page',
  'permalinks',
  'search_engines',
] as const satisfies readonly (keyof WordPressValues)[]

/** Structures that WordPress itself offers, with the example of its own page. */
export const permalinkPresets = [
  { structure: '/%postname%/', example: '/sample-post/' },
  { structure: '/%year%/%monthnum%/%day%/%postname%/', example: '/2026/11/24/sample-post/' },
  { structure: '/%year%/%monthnum%/%postname%/', example: '/2026/11/sample-post/' },
  { structure: '/archives/%post_id%', example: '/archives/123' },
  { structure: '', example: '/?p=123' },
] as const

/** The placeholders of WordPress. */
const permalinkTags = [
  'year',
  'monthnum',
  'day',
  'hour',
  'minute',
  'second',
  'post_id',
  'postname',
  'category',
  'author',
] as const
/** Those that make the address of a post unique. */
const uniqueTags = ['post_id', 'postname'] as const
/** First parts that belong to WordPress or to us. */
const reservedParts = ['wp-admin', 'wp-includes', 'wp-content', 'wp-json', 'wp-login.php'] as const
const maxPermalinkLength = 200

/** What is wrong with a structure of permalinks; null if it can be used. */
export function permalinkProblem(structure: string): LocalizedMessage | null {
  if (structure === '') return null
  if (structure.length > maxPermalinkLength) return msg`It has at most ${maxPermalinkLength} characters.`
  if (!structure.startsWith('/')) return msg`It begins with a slash.`
  if (structure.includes('//')) return msg`It has no two slashes in a row.`
  const pieces = structure.split('%')
  // Every second piece is between two percent signs.
  const tags = pieces.filter((_piece, at) => at % 2 === 1)
  if (pieces.length % 2 === 0) return msg`A placeholder begins and ends with a percent sign, e.g. %postname%.`
  const unknown = tags.find((tag) => !permalinkTags.some((known) => known === tag))
  if (unknown !== undefined) return msg`%${unknown.slice(0, 40)}% is not a placeholder of WordPress.`
  const fixed = pieces.filter((_piece, at) => at % 2 === 0).join('')
  if (!/^[a-z0-9/_.-]*$/i.test(fixed))
    return msg`Outside of placeholders it has only letters a to z, digits, slashes, dots, dashes and underscores.`
  if (structure.split('/').some((part) => part.startsWith('.'))) return msg`No part begins with a dot.`
  if (reservedParts.some((part) => structure.split('/')[1]?.toLowerCase() === part))
    return msg`WordPress uses the first part itself.`
  if (!uniqueTags.some((tag) => tags.includes(tag)))
    return msg`It needs %postname% or %post_id%, or posts would share an address.`
  return null
}

const maxTextLength = 200
/** As in the description of sites (`admin_email`), without what WordPress refuses. */
const email = /^[^\s@"(),:;<>[\]\\]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i
const timezone = /^[A-Za-z][A-Za-z0-9_+\-/.]{0,63}$/
/** Names of locales as WordPress has them. */
const locale = /^[a-z]{2,3}(?:_[A-Za-z]{2,8})?(?:_[a-z0-9]{1,12})?$/

/** What is wrong with the value of a setting; null if it can be sent to the site. */
export function wordpressSettingProblem(name: keyof WordPressValues, value: unknown): LocalizedMessage | null {
  if (name === 'search_engines') return value === 0 || value === 1 ? null : msg`It is 0 or 1.`
  if (typeof value !== 'string') return msg`It is a text.`
  switch (name) {
    case 'title':
    case 'tagline':
      if (/[\r\n\0]/.test(value)) return msg`It is one line.`
      return value.length > maxTextLength ? msg`It has at most ${maxTextLength} characters.` : null
    case 'permalinks':
      return permalinkProblem(value)
    case 'admin_email':
      return value.length <= 100 && email.test(value) ? null : msg`Enter a valid email address.`
    case 'timezone':
      return timezone.test(value) ? null : msg`Choose a time zone.`
    case 'language':
      return isLocale(value) ? null : msg`Choose a language.`
    case 'start_page':
      return /^\d{0,15}$/.test(value) ? null : msg`Choose a page.`
  }
}

/**
 * Keeps the known settings of values that a client sent.
 * @returns the settings, or the name of the first wrong one and what is wrong with it
 */
export function checkWordPressValues(
  given: Readonly<Record<string, unknown>>,
):
  | { readonly values: Partial<WordPressValues> }
  | { readonly field: keyof WordPressValues; readonly problem: LocalizedMessage } {
  const values: Record<string, unknown> = {}
  for (const name of wordpressSettingNames) {
    if (!Object.hasOwn(given, name)) continue
    const problem = wordpressSettingProblem(name, given[name])
    if (problem !== null) return { field: name, problem }
    values[name] = given[name]
  }
  return { values: values as Partial<WordPressValues> }
}

/** Whether a text is the name of a locale as WordPress has them, e.g. `de_DE` or `de_DE_formal`. */
export function isLocale(text: string): boolean {
  return locale.test(text)
}
