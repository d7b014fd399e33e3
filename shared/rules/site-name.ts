import { msg, type LocalizedMessage } from '../localized-message.ts'
import { checkSlug } from './formats.ts'
import { reservedHostNames, toLatin } from './slugs.ts'
import { trimEnd } from './trim-end.ts'

/**
 * Validates the name of a local site (the part before the sites' domain); returns the error message or null. The form
 * converts input while typing (`siteNameWhileTyping`); the API rejects upper case.
 */
export function checkSiteName(name: string): LocalizedMessage | null {
  if (name.trim() === '') return msg`Enter a name.`
  if (/\s/.test(name)) return msg`Names can’t contain spaces.`
  if (/[^\u0000-\u007F]/.test(name)) return msg`Use the letters a to z, digits and hyphens only.`
  if (/^[\d.]+$/.test(name) && name.includes('.')) return msg`Names can’t be an IP address.`
  if (name.includes('*')) return msg`Names can’t contain a wildcard.`
  if (name.includes('.')) return msg`Names can’t contain dots.`
  const problem = checkSlug(name)
  if (problem) return problem
  // Browsers display such a label as different letters than the ones typed.
  if (name.startsWith('xn--')) return msg`Names can’t begin with "xn--".`
  if (reservedHostNames.has(name)) return msg`"${name}" is reserved. Choose another name.`
  return null
}

/** Extracts the site name from a name or a full host name below the sites' domain, for example `blog.localhost` → `blog`. */
export function siteNameOf(text: string, sitesDomain: string): string {
  const suffix = `.${sitesDomain}`
  return text.endsWith(suffix) ? text.slice(0, -suffix.length) : text
}

/**
 * What a name field shows for typed or pasted text: `Bäckerei Nord` → `backerei-nord`. A hyphen at the end stays, because
 * another word may follow; other characters that names can't have stay for `checkSiteName` to reject.
 */
export function siteNameWhileTyping(text: string): string {
  return toLatin(text.trimStart()).replaceAll(/-?\s+-?/g, '-')
}

/** A name for the staging site of a site: a label, or a domain where sites have one. */
export function stagingNameOf(domain: string, names: 'label' | 'domain'): string {
  if (names === 'domain') return `staging.${domain.replace(/^www\./, '')}`
  return siteNameWhileTyping(`${domain.replace(/\..*/, '').slice(0, 50)}-staging`)
}

/** Suggests a site name for a title; the empty string if the title has no usable characters. */
export function siteNameFromTitle(title: string): string {
  const hyphenated = toLatin(title)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
  const name = trimEnd(hyphenated.slice(0, 32), '-')
  return checkSiteName(name) === null ? name : ''
}
