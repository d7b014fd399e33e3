import { decode } from 'punycode/punycode.es6.js'
import { msg, type LocalizedMessage } from '../localized-message.ts'
import { checkDomain, isIpv4 } from './formats.ts'
import { checkSiteName } from './site-name.ts'
import { reservedHostNames, toLatin } from './slugs.ts'

/** What EasyEngine names the volumes of a site by. */
const volumePrefix = (domain: string): string => domain.replaceAll(/[.-]/g, '')

/** Whether two sites of a server with EasyEngine would write into the same volumes: their domains are equal without dots and hyphens. */
export const sharesVolumes = (one: string, other: string): boolean => volumePrefix(one) === volumePrefix(other)

/** Names that a domain of a site is checked against. */
export interface DomainRules {
  /** Parent domain of local sites; null if the engine has none. */
  readonly sitesDomain: string | null
  /** Host of the dashboard. */
  readonly dashboardHost: string
}

/** A domain of a site in the form of the field `domain`, or why the text is none. */
export type ParsedDomain = { readonly domain: string } | { readonly problem: LocalizedMessage }

/**
 * Reads the name that somebody entered for a site: `shop`, `shop.localhost`, `www.example.com`, `bücher.example`, or the
 * address of a homepage. Forms lower it while it is typed; upper case is refused. Doesn't check whether it is available.
 */
export function parseSiteDomain(text: string, rules: DomainRules): ParsedDomain {
  const bare = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
  if (bare === '') return { problem: msg`Enter a name.` }
  if (bare.length > 253) return { problem: msg`The domain can have at most 253 characters.` }
  if (bare.includes('*')) return { problem: msg`The domain can’t contain a wildcard.` }
  if (/^\[|:.*:/.test(bare) || isIpv4(bare)) return { problem: msg`The domain must be a name, not an IP address.` }
  if (/:\d*$/.test(bare)) return { problem: msg`Leave out the port: all sites of a server share one.` }
  if (/[/?#@\\:%\s]/.test(bare)) return { problem: msg`Enter a name alone, for example shop.example.com.` }
  const lower = bare.toLowerCase()
  if (lower !== bare) return { problem: msg`Write the name in lower case: “${lower}”.` }
  return checkHost(toAscii(bare) ?? bare, rules)
}

/** The name with its international letters in ASCII (`xn--`); null if it can't be written so. */
function toAscii(name: string): string | null {
  const address = `http://${name}/`
  // Node and browsers convert a name without a dot that looks like a number to an IP address.
  if (!URL.canParse(address) || /^[\da-fx.]+$/i.test(name)) return null
  return new URL(address).hostname
}

function checkHost(host: string, { sitesDomain, dashboardHost }: DomainRules): ParsedDomain {
  const own = sitesDomain?.toLowerCase() ?? null
  const below = own !== null && host.endsWith(`.${own}`) ? host.slice(0, -own.length - 1) : null
  const name = below ?? (host.includes('.') ? null : host)
  if (name !== null) {
    if (own === null) return { problem: msg`The domain needs a dot, e.g. example.com.` }
    const problem = name.includes('.')
      ? msg`A name below ${own} has a single part, for example shop.${own}.`
      : (checkSiteName(name) ?? (looksReserved(name) ? tooSimilar(name) : null))
    return problem === null ? { domain: name } : { problem }
  }
  const problem = checkDomain(host) ?? checkForeign(host, own, dashboardHost.toLowerCase())
  return problem === null ? { domain: host } : { problem }
}

/** A full domain outside of the sites' own. */
function checkForeign(host: string, sitesDomain: string | null, dashboardHost: string): LocalizedMessage | null {
  if (host === sitesDomain) return msg`“${host}” is the domain of all sites. Choose a name below it.`
  if (host === dashboardHost) return msg`“${host}” is the address of this dashboard.`
  // Sites can set cookies for the whole registrable domain. Without a list of public suffixes, the last two labels are compared.
  if (registrable(host) === registrable(dashboardHost))
    return msg`“${host}” shares a domain with this dashboard, so the site could interfere with it. Choose another domain.`
  if (/\.(?:localhost|invalid|onion|arpa)$/.test(host)) return msg`Names that end like “${host}” are reserved.`
  const labels = host.split('.').map(letters)
  if (labels.some(mixesScripts)) return msg`“${host}” mixes letters of several alphabets that look alike.`
  if (skeleton(labels.join('.')) === skeleton(dashboardHost) || labels.some(imitatesReserved)) return tooSimilar(host)
  return null
}

const tooSimilar = (name: string): LocalizedMessage => msg`“${name}” looks like a reserved name. Choose another one.`

const registrable = (host: string): string => host.split('.').slice(-2).join('.')

/** A label with its international letters. */
function letters(label: string): string {
  if (!label.startsWith('xn--')) return label
  try {
    return decode(label.slice('xn--'.length))
  } catch (error) {
    if (error instanceof RangeError) return label
    throw error
  }
}

/** Latin letters next to those of an alphabet that has twins of them. */
function mixesScripts(label: string): boolean {
  return /\p{Script=Latin}/u.test(label) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u.test(label)
}

/** Letters of other alphabets, and digits, by the Latin letter that they look like. */
const twins: Readonly<Record<string, string>> = {
  а: 'a',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  һ: 'h',
  і: 'i',
  ј: 'j',
  к: 'k',
  ӏ: 'l',
  м: 'm',
  о: 'o',
  р: 'p',
  ԛ: 'q',
  ѕ: 's',
  т: 't',
  ѵ: 'v',
  ԝ: 'w',
  х: 'x',
  у: 'y',
  α: 'a',
  ε: 'e',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
  '0': 'o',
  '1': 'l',
}

/** What a name looks like: twins of letters are one, `i` and `l` too. */
function skeleton(name: string): string {
  const latin = toLatin(name).replaceAll(/[^a-z.-]/g, (letter) => twins[letter] ?? letter)
  return latin.replaceAll('i', 'l').replaceAll('rn', 'm').replaceAll('vv', 'w')
}

const reservedSkeletons: ReadonlySet<string> = new Set([...reservedHostNames].map(skeleton))

/** A name that is not reserved but looks like one that is. */
function looksReserved(name: string): boolean {
  return !reservedHostNames.has(name) && reservedSkeletons.has(skeleton(name))
}

/** An international label that looks like a reserved name in Latin letters. */
function imitatesReserved(label: string): boolean {
  return /[^\u0000-\u007F]/.test(label) && reservedSkeletons.has(skeleton(label))
}
