import { totalmem } from 'node:os'
import * as parse from './config-parsers.ts'
import type { Parser } from './config-parsers.ts'
import { defaultRateLimits, rateLimits, type RateLimits } from './rate-limits.ts'

/** One setting: its default is either the text a person could have written, or a value that has no such text. */
export interface Setting<T> {
  readonly name: string
  readonly parse: Parser<T>
  /** Value while the setting is not given; depends on nothing but the machine. */
  readonly fallback: T
  /** Masked wherever settings are shown. */
  readonly secret: boolean
}

const setting = <T>(name: string, parser: Parser<T>, fallback: T): Setting<T> => ({
  name,
  parse: parser,
  fallback,
  secret: false,
})
const optional = <T>(name: string, parser: Parser<T>): Setting<T | null> => ({
  name,
  parse: parser,
  fallback: null,
  secret: false,
})
const secret = (name: string, parser: Parser<string> = parse.line): Setting<string | null> => ({
  name,
  parse: parser,
  fallback: null,
  secret: true,
})
const none: readonly string[] = Object.freeze([])

/** Three sites of the local engine for each 4 GB of memory, at least one. */
export const sitesAwakeByMemory = (bytes: number): number => Math.max(1, Math.floor((bytes / 2 ** 32) * 3))

/** Every setting of the operating contract by its place in `Config`; groups are objects. The order is that of `doctor`. */
export const settings = {
  port: setting('PORT', parse.whole(1, 65_535), 8080),
  host: setting('HOST', parse.host, '127.0.0.1'),
  socketioPort: setting('SOCKETIO_PORT', parse.whole(0, 65_535), 0),
  url: optional('EASYDASH_URL', parse.origin),
  dataDir: setting('EASYDASH_DATA_DIR', parse.path, './data'),
  cacheDir: setting('EASYDASH_CACHE_DIR', parse.path, './node_modules/.cache/easydash'),
  databaseUrl: secret(
    'DATABASE_URL',
    parse.urlOf(['postgres', 'postgresql'], 'postgresql://user:password@host:5432/database'),
  ),
  secretKeys: secret('EASYDASH_SECRET_KEYS', parse.keyRing),
  secretKeysFile: optional('EASYDASH_SECRET_KEYS_FILE', parse.path),
  secretKeysCommand: optional('EASYDASH_SECRET_KEYS_COMMAND', parse.command),
  smtpUrl: secret('SMTP_URL', parse.urlOf(['smtp', 'smtps'], 'smtps://user:password@mail.example.com')),
  mailFrom: optional('MAIL_FROM', parse.mailbox),
  localSitesDomain: setting('EASYDASH_LOCAL_SITES_DOMAIN', parse.domain, 'localhost'),
  localSitesUrl: optional('EASYDASH_LOCAL_SITES_URL', parse.sitePattern),
  siteIdleMinutes: setting('EASYDASH_SITE_IDLE_MINUTES', parse.positive, 10),
  sitesAwakeMax: setting('EASYDASH_SITES_AWAKE_MAX', parse.whole(1, 10_000), sitesAwakeByMemory(totalmem())),
  thumbnails: setting<'on' | 'off'>('EASYDASH_THUMBNAILS', parse.oneOf(['on', 'off']), 'on'),
  browser: optional('EASYDASH_BROWSER', parse.path),
  signup: setting<'open' | 'invite'>('EASYDASH_SIGNUP', parse.oneOf(['open', 'invite']), 'open'),
  rateLimits: setting<RateLimits>('EASYDASH_RATE_LIMITS', rateLimits, defaultRateLimits),
  egressIps: setting('EASYDASH_EGRESS_IPS', parse.list(parse.ip), none),
  defaultPublicKey: optional('EASYDASH_DEFAULT_PUBLIC_KEY', parse.publicKey),
  botName: setting('EASYDASH_BOT_NAME', parse.line, 'easydash-bot'),
  addressMap: setting<Readonly<Record<string, string>>>('EASYDASH_ADDRESS_MAP', parse.addressMap, Object.freeze({})),
  trustedProxies: setting('TRUSTED_PROXIES', parse.list(parse.cidr), none),
  productName: setting('EASYDASH_PRODUCT_NAME', parse.line, 'Easydash'),
  stripe: {
    secretKey: secret('STRIPE_SECRET_KEY'),
    publishableKey: optional('STRIPE_PUBLISHABLE_KEY', parse.line),
    webhookSecret: secret('STRIPE_WEBHOOK_SECRET'),
    apiBase: optional('STRIPE_API_BASE', parse.endpoint),
  },
  endpoints: {
    hetzner: optional('HCLOUD_ENDPOINT', parse.endpoint),
    digitalocean: optional('DIGITALOCEAN_API_URL', parse.endpoint),
    awsEc2: optional('AWS_ENDPOINT_URL_EC2', parse.endpoint),
    awsS3: optional('AWS_ENDPOINT_URL_S3', parse.endpoint),
    wpcloud: optional('WPCLOUD_API_URL', parse.endpoint),
    github: optional('GITHUB_API_URL', parse.endpoint),
    slack: optional('SLACK_API_URL', parse.endpoint),
  },
  wordpressOrgUrl: optional('WORDPRESS_ORG_URL', parse.endpoint),
  termsFile: optional('EASYDASH_TERMS_FILE', parse.path),
  ipLookupUrl: optional('IP_LOOKUP_URL', parse.endpoint),
  auditHeadsUrl: optional('EASYDASH_AUDIT_HEADS_URL', parse.endpoint),
  auditMail: setting<'on' | 'off'>('EASYDASH_AUDIT_MAIL', parse.oneOf(['on', 'off']), 'on'),
  allowPrivateCidrs: setting('EASYDASH_ALLOW_PRIVATE_CIDRS', parse.list(parse.cidr), none),
  metricsToken: secret('EASYDASH_METRICS_TOKEN'),
} as const

/** Whether an entry of the table is a setting and no group. */
export const isSetting = (entry: object): entry is Setting<unknown> => 'parse' in entry

/** Every setting below a group, in order. */
export function settingsOf(tree: object = settings): Setting<unknown>[] {
  return (Object.values(tree) as object[]).flatMap((entry) => (isSetting(entry) ? [entry] : settingsOf(entry)))
}

/** Names of the settings that hold a secret. */
export const secretSettings: readonly string[] = settingsOf()
  .filter((entry) => entry.secret)
  .map(({ name }) => name)

type Value<S> =
  S extends Setting<infer T> ? T : S extends Record<string, unknown> ? { readonly [K in keyof S]: Value<S[K]> } : never

/** What the settings hold before the values that follow from one another are filled in. */
export type RawConfig = { readonly [K in keyof typeof settings]: Value<(typeof settings)[K]> }
