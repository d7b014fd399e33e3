/** What a `User-Agent` header tells, in words from a fixed list: safe to show and to mail. */
export interface Device {
  /** `Computer`, `Phone`, `Tablet` or `Program`; null when the header says nothing we know. */
  device: string | null
  /** Without version, e.g. `Firefox`; null when unknown. */
  browser: string | null
  /** Without version, e.g. `Windows`; null when unknown. */
  os: string | null
}

type Words = readonly (readonly [pattern: RegExp, name: string])[]

// The order counts: most browsers also name the ones they are like.
const browsers: Words = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOPiOS\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/^(?=.*\bVersion\/[\d.]).*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^Wget\//i, 'Wget'],
  [/^python-requests\/|^Python-urllib\//, 'Python'],
  [/^node\b|^undici\b|^axios\//, 'Node.js'],
]

const systems: Words = [
  [/\biPhone\b/, 'iOS'],
  [/\biPad\b/, 'iPadOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

const programs = new Set(['curl', 'Wget', 'Python', 'Node.js'])

const named = (words: Words, text: string) => words.find(([pattern]) => pattern.test(text))?.[1] ?? null

/** Reads a `User-Agent` header. */
export function deviceOf(userAgent: string | null): Device {
  const text = (userAgent ?? '').slice(0, 300)
  const browser = named(browsers, text)
  const os = named(systems, text)
  const tablet = /\biPad\b|\bTablet\b/.test(text) || (os === 'Android' && !/\bMobile\b/.test(text))
  const phone = /\biPhone\b|\bMobile\b/.test(text)
  const kind = tablet ? 'Tablet' : phone ? 'Phone' : os !== null ? 'Computer' : null
  return { device: browser !== null && programs.has(browser) ? 'Program' : kind, browser, os }
}

/** The device in one phrase, e.g. "Firefox on Windows". */
export function deviceName({ device, browser, os }: Device): string {
  if (browser !== null && os !== null) return `${browser} on ${os}`
  return browser ?? os ?? device ?? 'Unknown device'
}
