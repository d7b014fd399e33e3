import { isObject } from '#shared/parse-json.ts'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import querystring from 'node:querystring'
import { parseEnv } from 'node:util'
import type { z } from 'zod'
import {
  configSchema,
  secretSettings,
  settings,
  webProcessesBy,
  type RawConfig,
  type Setting,
} from './config-settings.ts'
import { smtpAddress } from '../mail/smtp-settings.ts'
import { MASK, registerSecret } from '../log/redact-text.ts'
import { redact } from '../log/redact.ts'
import { StartupError, systemErrorCode } from '../processes/startup-error.ts'

/**
 * All validated settings of the installation. Paths are absolute, origins have no trailing slash, everything is read-only.
 */
export type Config = Omit<RawConfig, 'url' | 'mailFrom' | 'webProcesses'> & {
  /** Public origin: used for links in emails, origin checks, cookie flags. */
  readonly url: string
  /** Sender of emails. */
  readonly mailFrom: string
  /** Processes that answer on the port. */
  readonly webProcesses: number
}

/** The environment, like `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** One or more invalid settings; the message lists each by name. */
export class ConfigError extends StartupError {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    const list = problems.map((problem) => `\n  ${problem}`).join('')
    super(
      `${problems.length === 1 ? 'A setting' : `${problems.length} settings`} cannot be used:${list}`,
      'Correct it in the environment or in the file .env, then start again.',
    )
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Source of a setting's value. */
export type Source = 'default' | '.env' | 'environment' | 'systemd'

interface Given {
  text: string
  source: Source
}

function readDotEnv(cwd: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(join(cwd, '.env'), 'utf8'))
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return {}
    throw new StartupError(
      `The file ${join(cwd, '.env')} cannot be read (${systemErrorCode(error)}).`,
      'Make it readable for the user who starts Easydash, or remove it.',
      error,
    )
  }
}

/** The text of a setting; an empty one counts as unset, so `NAME=` disables a setting in `.env`. */
function textOf(name: string, env: Environment, file: Environment): Given | null {
  const fromEnvironment = env[name]
  if (fromEnvironment !== undefined)
    return fromEnvironment.trim() === '' ? null : { text: fromEnvironment.trim(), source: 'environment' }
  const fromFile = file[name]?.trim()
  return fromFile ? { text: fromFile, source: '.env' } : null
}

/** Quotes an invalid value in a message: enough to find it, but never a secret. */
function quote(text: string, secret: boolean): string {
  if (secret) return 'the given value'
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return `"${redact(short)}"`
}

/** The texts of all settings that are set, in the structure of the schema. */
function textsOf(env: Environment, file: Environment): Record<string, unknown> {
  const texts: Record<string, unknown> = {}
  for (const { name, path } of settings) {
    const group = path.slice(0, -1).reduce<Record<string, unknown>>((at, key) => {
      const known = at[key]
      const inner = isObject(known) ? known : {}
      at[key] = inner
      return inner
    }, texts)
    group[path.at(-1) ?? ''] = textOf(name, env, file)?.text
  }
  return texts
}

/** One sentence for each invalid setting. */
function problemsOf(issues: readonly z.core.$ZodIssue[], env: Environment, file: Environment): string[] {
  const wrong = settings.filter((setting) =>
    issues.some((issue) => setting.path.every((key, at) => issue.path[at] === key)),
  )
  return wrong.map(({ name, path, expected, isSecret }) => {
    const issue = issues.find((one) => path.every((key, at) => one.path[at] === key))
    // A check that can say more than what is expected.
    if (issue?.code === 'custom' && typeof issue.params?.sentence === 'string') return issue.params.sentence
    const text = textOf(name, env, file)?.text ?? ''
    return `${name} must be ${expected}, not ${quote(text, isSecret)}.`
  })
}

const secretKeysFileSetting = 'EASYDASH_SECRET_KEYS_FILE'

function checkCombinations(config: RawConfig): string[] {
  const problems: string[] = []
  if (config.socketioPort !== 0 && config.socketioPort === config.port) {
    problems.push('SOCKETIO_PORT must be another port than PORT, or 0 to switch the second listener off.')
  }
  const rings = [
    ...(config.secretKeys === null ? [] : ['EASYDASH_SECRET_KEYS']),
    ...(config.secretKeysFile === null ? [] : [secretKeysFileSetting]),
    ...(config.secretKeysCommand === null ? [] : ['EASYDASH_SECRET_KEYS_COMMAND']),
  ]
  if (rings.length > 1) problems.push(`Only one of ${rings.join(' and ')} can hold the key ring.`)
  return [...problems, ...paymentProblems(config.stripe)]
}

/** Payments need all of their settings, and keys of one mode: what is half set would take cards and no money. */
function paymentProblems({ secretKey, publishableKey, webhookSecret, apiBase }: RawConfig['stripe']): string[] {
  const needed = {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_PUBLISHABLE_KEY: publishableKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
  }
  const given = Object.entries({ ...needed, STRIPE_API_BASE: apiBase }).filter(([, value]) => value !== null)
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === null ? [name] : []))
  if (given.length > 0 && missing.length > 0) {
    const names = given.map(([name]) => name).join(' and ')
    return [`${missing.join(' and ')} must be set, too: ${names} alone cannot take payments. Or set none of them.`]
  }
  const modes = [secretKey, publishableKey].map((key) => key?.split('_')[1])
  if (modes[0] === modes[1]) return []
  return [
    `STRIPE_SECRET_KEY is of ${modes[0]} mode and STRIPE_PUBLISHABLE_KEY of ${modes[1]} mode. Take both from the same mode.`,
  ]
}

/**
 * Reads and validates every setting; `env` takes precedence over `.env` in `cwd`. Registers the secret ones for `redact`.
 * Throws one `ConfigError` that names each invalid setting and what is expected.
 */
export function loadConfig(env: Environment, cwd: string): Config {
  const file = readDotEnv(cwd)
  const parsed = configSchema(cwd).safeParse(textsOf(env, file))
  if (!parsed.success) throw new ConfigError(problemsOf(parsed.error.issues, env, file))
  const raw = parsed.data
  const smtp = smtpAddress(raw)
  const problems = [...checkCombinations(raw), ...smtp.problems]
  if (problems.length > 0) throw new ConfigError(problems)

  const url = raw.url ?? `http://localhost:${raw.port}`
  const credential = systemdCredential(raw, env)
  const config: Config = Object.freeze({
    ...raw,
    smtpUrl: smtp.url,
    secretKeysFile: raw.secretKeysFile ?? credential,
    url,
    webProcesses: raw.webProcesses ?? defaultWebProcesses(raw),
    mailFrom: raw.mailFrom ?? `${raw.productName} <no-reply@${new URL(url).hostname}>`,
  })
  registerConfigSecrets(config)
  const from = new Map(settings.map(({ name }) => [name, textOf(name, env, file)?.source ?? 'default'] as const))
  if (credential !== null) from.set(secretKeysFileSetting, 'systemd')
  sources.set(config, from)
  return config
}

/** As many as this machine has processors to spare for; one with a database of others, who may have few connections to give. */
function defaultWebProcesses({ databaseUrl }: RawConfig): number {
  if (databaseUrl !== null) return 1
  return webProcessesBy(availableParallelism(), Math.min(totalmem(), process.constrainedMemory() || Infinity))
}

/**
 * Names that look like settings but are none, such as misspelled ones: their values would be ignored silently. Names for
 * tests and for the product's own processes don't count.
 */
export function unknownSettings(env: Environment, cwd: string): string[] {
  const known = new Set(settings.map(({ name }) => name))
  const names = [...new Set([...Object.keys(env), ...Object.keys(readDotEnv(cwd))])]
  return names.filter((name) => name.startsWith('EASYDASH_') && !known.has(name) && !internalNames.test(name)).sort()
}

const internalNames = /^EASYDASH_(?:DEV|DEMO|CRASH_AT|STOP_FILE|TEST_\w+)$/

/** The sentence about an unknown setting. */
export const unknownSettingText = (name: string): string =>
  `${name} is not a setting and is ignored. Check its spelling: "npm run easydash -- doctor" lists all settings`

/** Source of each setting of a configuration: the environment may have changed when it is needed. */
const sources = new WeakMap<Config, ReadonlyMap<string, Source>>()

/** The key ring provided by systemd (`LoadCredentialEncrypted=easydash-keys:…`), unless a setting provides one. */
function systemdCredential(raw: RawConfig, env: Environment): string | null {
  const folder = env['CREDENTIALS_DIRECTORY']
  const isNamed = raw.secretKeys !== null || raw.secretKeysFile !== null || raw.secretKeysCommand !== null
  if (!folder || isNamed) return null
  const path = join(folder, 'easydash-keys')
  return existsSync(path) ? path : null
}

/**
 * The configuration of this process. Secret settings are removed from its environment, which children inherit; afterward
 * only the configuration contains them.
 */
export function loadOwnConfig(): Config {
  const config = loadConfig(process.env, process.cwd())
  for (const name of secretSettings) delete process.env[name]
  return config
}

/** Password of a URL with credentials, as written and decoded. */
function passwordsOf(url: string | null): string[] {
  const written = url === null ? '' : new URL(url).password
  return [written, querystring.unescape(written)]
}

function registerConfigSecrets(config: Config): void {
  const keys = config.secretKeys?.split(',').map((entry) => entry.trim().replace(/^v\d+:/, '')) ?? []
  const { databaseUrl, smtpUrl, smtpPassword, localMysqlUrl, metricsToken, stripe } = config
  for (const value of [
    ...keys,
    metricsToken,
    smtpPassword,
    stripe.secretKey,
    stripe.webhookSecret,
    ...passwordsOf(databaseUrl),
    ...passwordsOf(smtpUrl),
    ...passwordsOf(localMysqlUrl),
  ]) {
    registerSecret(value)
  }
}

/** One line of `doctor`: a setting, its value as text (secrets masked) and its source. */
export interface SettingDescription {
  name: string
  value: string
  source: Source
}

function displayText(value: unknown, { isSecret }: Setting): string {
  if (value === null || value === undefined) return '(none)'
  if (isSecret) return MASK
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.join(',')
  return redact(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** Every setting for `doctor`, in the order of docs/operating.md. */
export function describeConfig(config: Config): SettingDescription[] {
  return settings.map((setting) => ({
    name: setting.name,
    value: displayText(valueAt(config, setting.path), setting),
    source: sources.get(config)?.get(setting.name) ?? 'default',
  }))
}

function valueAt(config: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), config)
}
