/** Secrets of the shared product, each with a unique text that must not appear anywhere else. */
import { randomBytes } from 'node:crypto'

/** Unique per run, so that nothing from other runs is found. */
const run = randomBytes(6).toString('hex')

const keyMarker = `leak-marker-key-${run}`
const keyBytes = Buffer.concat([Buffer.from(keyMarker), randomBytes(32)]).subarray(0, 32)

/** Values of secret settings by name; all valid. */
export const secretSettings: Readonly<Record<string, string>> = {
  EASYDASH_SECRET_KEYS: `v1:${keyBytes.toString('base64')}`,
  EASYDASH_METRICS_TOKEN: `leak-marker-metrics-${run}`,
}

/** Non-secret settings of the shared product. */
export const companionSettings = {
  // A vendor on this machine, running only during the connections story. Systems give out ports like this only on request.
  HCLOUD_ENDPOINT: 'http://127.0.0.1:28114',
} as const

/** Passwords entered in the shared product; strong in any context. */
export const passwords = {
  owner: `leak-marker-owner-${run}-walnut`,
  second: `leak-marker-second-${run}-fjord`,
  /** The second user's new password after a reset. */
  secondNew: `leak-marker-renewed-${run}-brass`,
  /** Entered on the login page by mistake. */
  wrong: `leak-marker-wrong-${run}-tulip`,
} as const

/** Tokens of a vendor: one is tested and rejected, the other stored. */
export const vendorTokens = {
  rejected: `leak-marker-refused-${run}-token`,
  stored: `leak-marker-stored-${run}-token`,
} as const

/** What to look for: each marker in every encoding in which it could leak. */
export function leakMarkers(): { name: string; text: string }[] {
  const plain = [
    ...Object.entries(secretSettings).map(([name, text]) => ({ name, text: text.replace(/^v1:/, '') })),
    ...Object.entries(passwords).map(([name, text]) => ({ name: `password ${name}`, text })),
    ...Object.entries(vendorTokens).map(([name, text]) => ({ name: `vendor token ${name}`, text })),
    { name: 'EASYDASH_SECRET_KEYS, decoded', text: keyMarker },
    { name: 'EASYDASH_SECRET_KEYS, in hex', text: keyBytes.toString('hex') },
  ]
  return plain.flatMap(({ name, text }) => {
    const encoded = encodeURIComponent(text)
    const base64 = Buffer.from(text).toString('base64').replace(/=+$/, '')
    return [
      { name, text },
      ...(encoded === text ? [] : [{ name: `${name}, URL-encoded`, text: encoded }]),
      { name: `${name}, in base64`, text: base64 },
    ]
  })
}
