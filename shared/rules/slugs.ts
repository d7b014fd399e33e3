import { msg, type LocalizedMessage } from '../localized-message.ts'
import { checkSlug } from './formats.ts'
import { trimEnd } from './trim-end.ts'

/** Host names that machines on a network look up automatically, and common service names. */
export const reservedHostNames: ReadonlySet<string> = new Set([
  'www',
  'localhost',
  'mail',
  'ftp',
  'api',
  'admin',
  'wpad',
  'isatap',
  'autoconfig',
  'autodiscover',
])

/** Words used in our own routes and roles, which an organization's slug could be confused with. */
const routeNames: ReadonlySet<string> = new Set([
  'accounts',
  'create',
  'new',
  'edit',
  'delete',
  'settings',
  'members',
  'invitation',
  'invitations',
  'billing',
  'dashboard',
  'login',
  'logout',
  'signup',
  'verify-email',
  'forgot-password',
  'reset-password',
  'terms',
  'site',
  'sites',
  'server',
  'servers',
  'user',
  'users',
  'organization',
  'organizations',
  'platform',
  'support',
  'helpdesk',
  'web',
  'files',
  'private',
  'webhooks',
  'socket-io',
  'healthz',
  'readyz',
  'metrics',
  'system',
  'guest',
  'null',
  'undefined',
  'easydash',
])

/** Whether a slug is reserved. */
export function isReservedSlug(slug: string): boolean {
  return reservedHostNames.has(slug) || routeNames.has(slug)
}

/** Validates the slug of an organization; returns the error message or null. It may still be taken. */
export function checkOrganizationSlug(slug: string): LocalizedMessage | null {
  return checkSlug(slug) ?? (isReservedSlug(slug) ? msg`"${slug}" is reserved. Choose another name.` : null)
}

/** Letters that Unicode normalization doesn't split into a base letter and an accent. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  '&': ' and ',
}

/** Lower-case text without accents; letters outside of Latin stay. */
export function toLatin(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæœøđðþłħı&]/g, (letter) => letters[letter] ?? '')
}

/**
 * Slug for a title, for example `Żółw & Söhne GmbH` → `zolw-and-sohne-gmbh`. The result passes `checkOrganizationSlug`; the
 * empty string if the title has no Latin letters or digits.
 */
export function slugFromTitle(title: string): string {
  const slug = trimHyphens(
    toLatin(title)
      .replaceAll(/['’]/g, '')
      .replaceAll(/[^a-z0-9]+/g, '-'),
  )
  const short = trimHyphens(slug.slice(0, 32))
  if (short === '') return ''
  return short.length < 3 || isReservedSlug(short) ? `${trimHyphens(short.slice(0, 28))}-org` : short
}

function trimHyphens(text: string): string {
  return trimEnd(text.replace(/^-+/, ''), '-')
}
