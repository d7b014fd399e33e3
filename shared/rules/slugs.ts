import { say, type Sentence } from '../sentence.ts'
import { checkSlug } from './formats.ts'
import { trimEnd } from './trim-end.ts'

/** Names that machines on a network look up by themselves, and the usual service names (operating contract). */
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

/** Words of our own addresses and roles; an organization of that name would be taken for one of them. */
const routeWords: ReadonlySet<string> = new Set([
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

/** Whether an organization cannot have this slug because it means something else. */
export function isReservedSlug(slug: string): boolean {
  return reservedHostNames.has(slug) || routeWords.has(slug)
}

/** What is wrong with the slug of an organization, in words; null when it can be used (it may still be taken). */
export function checkOrganizationSlug(slug: string): Sentence | null {
  return checkSlug(slug) ?? (isReservedSlug(slug) ? say`"${slug}" is reserved. Choose another name.` : null)
}

/** Letters that do not come apart into a base letter and an accent. */
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

/**
 * Slug for a title, e.g. `Żółw & Söhne GmbH` → `zolw-and-sohne-gmbh`. The result passes `checkOrganizationSlug`;
 * the empty text when the title has no letters or digits of the Latin alphabet.
 */
export function slugFromTitle(title: string): string {
  const latin = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæœøđðþłħı&]/g, (letter) => letters[letter] ?? '')
  const slug = trimHyphens(latin.replaceAll(/['’]/g, '').replaceAll(/[^a-z0-9]+/g, '-'))
  const short = trimHyphens(slug.slice(0, 32))
  if (short === '') return ''
  return short.length < 3 || isReservedSlug(short) ? `${trimHyphens(short.slice(0, 28))}-org` : short
}

function trimHyphens(text: string): string {
  return trimEnd(text.replace(/^-+/, ''), '-')
}
