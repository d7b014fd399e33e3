/** Secrets of the shared product, each with a text of its own that must turn up nowhere it does not belong. */
import { randomBytes } from 'node:crypto'

/** Unique per run, so that nothing old is found and nothing of another run. */
const run = randomBytes(6).toString('hex')

const keyBytes = Buffer.concat([Buffer.from(`canary-key-${run}`), randomBytes(32)]).subarray(0, 32)

/** Values of secret settings by their names; all of them valid. */
export const secretSettings: Readonly<Record<string, string>> = {
  EASYDASH_SECRET_KEYS: `v1:${keyBytes.toString('base64')}`,
  EASYDASH_METRICS_TOKEN: `canary-metrics-${run}`,
  STRIPE_SECRET_KEY: `sk_test_canarystripe${run}`,
  STRIPE_WEBHOOK_SECRET: `whsec_canarywebhook${run}`,
}

/** Settings that are no secrets but must be given beside them. */
export const companionSettings = {
  STRIPE_PUBLISHABLE_KEY: 'pk_test_publishable',
  // A vendor on this machine, there while the story about connections lets it be there.
  HCLOUD_ENDPOINT: 'http://127.0.0.1:48114',
} as const

/** Passwords people type in the shared product. Strong, whatever is around them. */
export const passwords = {
  owner: `canary-owner-${run}-walnut`,
  second: `canary-second-${run}-fjord`,
  /** What the second person chooses after having forgotten the first one. */
  secondNew: `canary-renewed-${run}-brass`,
  /** Typed at the login page by mistake. */
  wrong: `canary-wrong-${run}-tulip`,
} as const

/** Tokens of a vendor: one is tested and refused, the other stored. */
export const vendorTokens = { refused: `canary-refused-${run}-token`, stored: `canary-stored-${run}-token` } as const

/** What to look for: each canary in every spelling it could leak in. */
export function canaries(): { name: string; text: string }[] {
  const plain = [
    ...Object.entries(secretSettings).map(([name, text]) => ({ name, text: text.replace(/^v1:/, '') })),
    ...Object.entries(passwords).map(([name, text]) => ({ name: `password ${name}`, text })),
    ...Object.entries(vendorTokens).map(([name, text]) => ({ name: `vendor token ${name}`, text })),
    { name: 'EASYDASH_SECRET_KEYS, decoded', text: keyBytes.subarray(0, 23).toString('latin1') },
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
