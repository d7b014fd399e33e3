import { say, type Sentence } from '../sentence.ts'
import { checkSlug } from './formats.ts'
import { reservedHostNames } from './slugs.ts'
import { trimEnd } from './trim-end.ts'

/**
 * What is wrong with the name of a local site (the part before the sites' domain), in words for people; null when it
 * can be used. Upper case is lowered by the form while typing; on the wire it is refused.
 */
export function checkSiteName(name: string): Sentence | null {
  if (name.trim() === '') return say`Enter a name.`
  if (/\s/.test(name)) return say`Names can’t contain spaces.`
  if (/[^\u0000-\u007F]/.test(name)) return say`Use the letters a to z, digits and hyphens only.`
  if (/^[\d.]+$/.test(name) && name.includes('.')) return say`The name must not be an IP address.`
  if (name.includes('*')) return say`The name must not hold a wildcard.`
  if (name.includes('.')) return say`The name must not hold dots.`
  const problem = checkSlug(name)
  if (problem) return problem
  // Such a label would be shown as other letters than the ones typed.
  if (name.startsWith('xn--')) return say`The name must not begin with "xn--".`
  if (reservedHostNames.has(name)) return say`"${name}" is reserved. Choose another name.`
  return null
}

/** The name in a text that is a name or already the whole host name below the sites' domain, e.g. `blog.localhost` → `blog`. */
export function siteNameOf(text: string, sitesDomain: string): string {
  const suffix = `.${sitesDomain}`
  return text.endsWith(suffix) ? text.slice(0, -suffix.length) : text
}

/** A name for a site title as the form suggests it; the empty text when nothing usable is in it. */
export function siteNameFromTitle(title: string): string {
  const latin = title.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '')
  const hyphenated = latin.replaceAll(/[^a-z0-9]+/g, '-').replace(/^-+/, '')
  const name = trimEnd(hyphenated.slice(0, 32), '-')
  return checkSiteName(name) === null ? name : ''
}
