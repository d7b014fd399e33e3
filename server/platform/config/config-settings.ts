import { totalmem } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { defaultRateLimits, rateLimits } from '../rate-limits.ts'
import * as schemas from './setting-schemas.ts'
import type { SettingSchema } from './setting-schemas.ts'

/** Metadata of a setting. */
export interface Setting {
  /** Name of the environment variable. */
  readonly name: string
  /** Masked wherever settings are displayed. */
  readonly isSecret: boolean
  /** The second half of "PORT must be …". */
  readonly expected: string
}

const known = z.registry<Setting>()

/** A setting with its parsed value, or a default that depends only on the machine. */
function setting<T>(name: string, schema: SettingSchema<T>, fallback: T, isSecret = false) {
  return schema
    .optional()
    .transform((given): T => given ?? fallback)
    .register(known, { name, isSecret, expected: schemas.expectedFormatOf(schema) })
}
const optional = <T>(name: string, schema: SettingSchema<T>) => setting<T | null>(name, schema, null)
const secret = (name: string, schema: SettingSchema<string> = schemas.line) =>
  setting<string | null>(name, schema, null, true)
const none: readonly string[] = Object.freeze([])

/** Three sites of the local engine per 4 GB of memory, at least one. */
export const sitesAwakeByMemory = (bytes: number): number => Math.max(1, Math.floor((bytes / 2 ** 32) * 3))

/**
 * One web process for each two processors, as what one answers keeps 1.4 to 1.75 of them busy (docs/benchmarks.md), and for each GB of memory, of
 * which one takes 110 MB; at most four.
 */
export const webProcessesBy = (processors: number, bytes: number): number =>
  Math.max(1, Math.min(4, Math.floor(processors / 2), Math.floor(bytes / 2 ** 30)))

/**
 * Schema of every setting in docs/operating.md, with the structure of `Config`; groups are objects. `doctor` uses the same
 * order. Relative paths start from `cwd`.
 */
export function configSchema(cwd: string) {
  const path = schemas.pathFrom(cwd)
  return z
    .object({
      port: setting('PORT', schemas.integerBetween(1, 65_535), 8080),
      host: setting('HOST', schemas.host, '127.0.0.1'),
      socketioPort: setting('SOCKETIO_PORT', schemas.integerBetween(0, 65_535), 0),
      url: optional('EASYDASH_URL', schemas.origin),
      webProcesses: optional('EASYDASH_WEB_PROCESSES', schemas.integerBetween(1, 16)),
      dataDir: setting('EASYDASH_DATA_DIR', path, resolve(cwd, 'data')),
      cacheDir: setting('EASYDASH_CACHE_DIR', path, resolve(cwd, 'node_modules/.cache/easydash')),
      databaseUrl: secret(
        'DATABASE_URL',
        schemas.urlOf(['postgres', 'postgresql'], 'postgresql://user:password@host:5432/database'),
      ),
      secretKeys: secret('EASYDASH_SECRET_KEYS', schemas.keyRing),
      secretKeysFile: optional('EASYDASH_SECRET_KEYS_FILE', path),
      secretKeysCommand: optional('EASYDASH_SECRET_KEYS_COMMAND', schemas.command),
      smtpUrl: secret('SMTP_URL', schemas.smtpUrl),
      smtpHost: optional('SMTP_HOST', schemas.host),
      smtpPort: optional('SMTP_PORT', schemas.integerBetween(1, 65_535)),
      smtpUser: optional('SMTP_USER', schemas.line),
      smtpPassword: secret('SMTP_PASSWORD'),
      smtpSecurity: optional('SMTP_SECURITY', schemas.oneOf(['tls', 'starttls', 'none'])),
      mailFrom: optional('MAIL_FROM', schemas.mailbox),
      localSitesDomain: setting('EASYDASH_LOCAL_SITES_DOMAIN', schemas.domain, 'localhost'),
      localSitesUrl: optional('EASYDASH_LOCAL_SITES_URL', schemas.sitePattern),
      serverSitesUrl: optional('EASYDASH_SERVER_SITES_URL', schemas.serverSitePattern),
      siteIdleMinutes: setting('EASYDASH_SITE_IDLE_MINUTES', schemas.positiveNumber, 10),
      sitesAwakeMax: setting(
        'EASYDASH_SITES_AWAKE_MAX',
        schemas.integerBetween(1, 10_000),
        sitesAwakeByMemory(totalmem()),
      ),
      adminRequestSeconds: setting('EASYDASH_ADMIN_REQUEST_SECONDS', schemas.integerBetween(60, 3_600), 300),
      keptPackagesMb: setting('EASYDASH_KEPT_PACKAGES_MB', schemas.integerBetween(0, 1_000_000), 2_048),
      localMysqlUrl: secret(
        'EASYDASH_LOCAL_MYSQL_URL',
        schemas.urlOf(['mysql', 'mariadb'], 'mysql://user:password@127.0.0.1:3306'),
      ),
      thumbnails: setting('EASYDASH_THUMBNAILS', schemas.oneOf(['on', 'off']), 'on'),
      browser: optional('EASYDASH_BROWSER', path),
      signup: setting('EASYDASH_SIGNUP', schemas.oneOf(['open', 'invite']), 'invite'),
      rateLimits: setting('EASYDASH_RATE_LIMITS', rateLimits, defaultRateLimits),
      egressIps: setting('EASYDASH_EGRESS_IPS', schemas.ips, none),
      defaultPublicKey: optional('EASYDASH_DEFAULT_PUBLIC_KEY', schemas.publicKey),
      botName: setting('EASYDASH_BOT_NAME', schemas.line, 'easydash-bot'),
      addressMap: setting('EASYDASH_ADDRESS_MAP', schemas.addressMap, Object.freeze({})),
      trustedProxies: setting('TRUSTED_PROXIES', schemas.cidrs, none),
      productName: setting('EASYDASH_PRODUCT_NAME', schemas.line, 'Easydash'),
      stripe: z
        .object({
          secretKey: secret('STRIPE_SECRET_KEY', schemas.stripeSecretKey),
          publishableKey: optional('STRIPE_PUBLISHABLE_KEY', schemas.stripePublishableKey),
          webhookSecret: secret('STRIPE_WEBHOOK_SECRET', schemas.stripeWebhookSecret),
          apiBase: optional('STRIPE_API_BASE', schemas.origin),
          automaticTax: setting('STRIPE_AUTOMATIC_TAX', schemas.oneOf(['on', 'off']), 'off'),
        })
        .readonly(),
      endpoints: z
        .object({
          hetzner: optional('HCLOUD_ENDPOINT', schemas.endpoint),
          digitalocean: optional('DIGITALOCEAN_API_URL', schemas.endpoint),
          awsEc2: optional('AWS_ENDPOINT_URL_EC2', schemas.endpoint),
          awsS3: optional('AWS_ENDPOINT_URL_S3', schemas.endpoint),
          wpcloud: optional('WPCLOUD_API_URL', schemas.endpoint),
          github: optional('GITHUB_API_URL', schemas.endpoint),
          slack: optional('SLACK_API_URL', schemas.endpoint),
        })
        .readonly(),
      wordpressOrgUrl: optional('WORDPRESS_ORG_URL', schemas.endpoint),
      termsFile: optional('EASYDASH_TERMS_FILE', path),
      ipLookupUrl: optional('IP_LOOKUP_URL', schemas.endpoint),
      auditHeadsUrl: optional('EASYDASH_AUDIT_HEADS_URL', schemas.endpoint),
      auditMail: setting('EASYDASH_AUDIT_MAIL', schemas.oneOf(['on', 'off']), 'on'),
      allowPrivateCidrs: setting('EASYDASH_ALLOW_PRIVATE_CIDRS', schemas.cidrs, none),
      metricsToken: secret('EASYDASH_METRICS_TOKEN'),
    })
    .readonly()
}

/** Settings before defaults that depend on other settings are filled in. */
export type RawConfig = z.output<ReturnType<typeof configSchema>>

/** A setting and its path in `Config`. */
export interface SettingWithPath extends Setting {
  readonly path: readonly string[]
}

/** Every setting, in the order of docs/operating.md. */
export const settings: readonly SettingWithPath[] = settingsOf(configSchema('/').unwrap(), [])

function settingsOf(group: z.ZodObject, path: readonly string[]): SettingWithPath[] {
  return Object.entries(group.shape).flatMap(([key, entry]) => {
    const found = known.get(entry as z.ZodType)
    if (found) return [{ ...found, path: [...path, key] }]
    return entry instanceof z.ZodReadonly ? settingsOf(entry.unwrap() as z.ZodObject, [...path, key]) : []
  })
}

/** Names of the settings that hold a secret. */
export const secretSettings: readonly string[] = settings.filter(({ isSecret }) => isSecret).map(({ name }) => name)
