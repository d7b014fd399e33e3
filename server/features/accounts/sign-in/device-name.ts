import { BROWSER_MAP, OS_MAP, parse } from 'bowser'

/** What a `User-Agent` header says, limited to names from a fixed list: safe to display and to email. */
export interface Device {
  /** `Computer`, `Phone`, `Tablet` or `Program`; null if unknown. */
  device: string | null
  /** Without version, e.g. `Firefox`; null if unknown. */
  browser: string | null
  /** Without version, e.g. `Windows`; null if unknown. */
  os: string | null
}

/** Maximum length that is parsed: browsers send less, and it bounds the cost of bowser's patterns. */
const maxLength = 300

/** API clients that bowser does not know. */
const programs: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^curl\//, 'curl'],
  [/^Wget\//i, 'Wget'],
  [/^python-requests\/|^Python-urllib\//, 'Python'],
  [/^node\b|^undici\b|^axios\//, 'Node.js'],
]

/** Shorter display names than bowser's. */
const shortNames: Readonly<Record<string, string>> = {
  'Microsoft Edge': 'Edge',
  'Samsung Internet for Android': 'Samsung Internet',
  'Chrome OS': 'ChromeOS',
}

/** Device kinds by bowser's platform types. */
const kinds: Readonly<Record<string, string>> = {
  desktop: 'Computer',
  tv: 'Computer',
  mobile: 'Phone',
  tablet: 'Tablet',
  bot: 'Program',
}

/** The display name; null if it is not on the list, because bowser copies unknown names from the header. */
function knownName(name: string | undefined, list: Readonly<Record<string, string>>): string | null {
  return name !== undefined && Object.values(list).includes(name) ? (shortNames[name] ?? name) : null
}

/** Parses a `User-Agent` header. */
export function deviceOf(userAgent: string | null): Device {
  const text = (userAgent ?? '').slice(0, maxLength)
  const program = programs.find(([pattern]) => pattern.test(text))?.[1]
  if (program !== undefined) return { device: 'Program', browser: program, os: null }
  // bowser throws for an empty string.
  if (text === '') return { device: null, browser: null, os: null }
  const { browser, os, platform } = parse(text)
  const system = knownName(os.name, OS_MAP)
  return {
    device: kinds[platform.type ?? ''] ?? (system === null ? null : 'Computer'),
    browser: knownName(browser.name, BROWSER_MAP),
    os: system === 'iOS' && platform.type === 'tablet' ? 'iPadOS' : system,
  }
}

/** The device as one phrase, e.g. "Firefox on Windows". */
export function deviceName({ device, browser, os }: Device): string {
  if (browser !== null && os !== null) return `${browser} on ${os}`
  return browser ?? os ?? device ?? 'Unknown device'
}
