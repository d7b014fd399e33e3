import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import querystring from 'node:querystring'
import { parseEnv } from 'node:util'
import { Expected } from './config-parsers.ts'
import { isSetting, secretSettings, settings, settingsOf, type RawConfig, type Setting } from './config-settings.ts'
import { MASK, registerSecret } from './redact-text.ts'
import { redact } from './redact.ts'
import { StartupError, systemErrorCode } from './startup-error.ts'

/** Every setting of the installation, checked. Paths are absolute, origins have no trailing slash, nothing can be changed. */
export type Config = Omit<RawConfig, 'url' | 'mailFrom'> & {
  /** Public origin: links in mails, origin checks, cookie flags. */
  readonly url: string
  /** Sender of mails. */
  readonly mailFrom: string
}

/** The environment, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>

/** One or more settings that cannot be used; the message lists each by name. */
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

/** Where the value of a setting comes from. */
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

/** The text of a setting; an empty one counts as not given, so that `NAME=` switches a setting of `.env` off. */
function given(name: string, env: Environment, file: Environment): Given | null {
  const fromEnvironment = env[name]
  if (fromEnvironment !== undefined)
    return fromEnvironment.trim() === '' ? null : { text: fromEnvironment.trim(), source: 'environment' }
  const fromFile = file[name]?.trim()
  return fromFile ? { text: fromFile, source: '.env' } : null
}

/** What a problem shows of the wrong text: enough to find it, nothing of a secret. */
function quote(text: string, secret: boolean): string {
  if (secret) return 'the given value'
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return `"${redact(short)}"`
}

function readAll(
  tree: object,
  env: Environment,
  file: Environment,
  cwd: string,
  problems: string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [key, entry] of Object.entries(tree) as [string, object][]) {
    if (!isSetting(entry)) {
      values[key] = Object.freeze(readAll(entry, env, file, cwd, problems))
      continue
    }
    const text = given(entry.name, env, file)
    try {
      values[key] = text ? entry.parse(text.text, cwd) : entry.fallback
    } catch (error) {
      if (!(error instanceof Expected)) throw error
      problems.push(`${entry.name} must be ${error.message}, not ${quote(text?.text ?? '', entry.secret)}.`)
    }
  }
  return values
}

function checkTogether(config: RawConfig): string[] {
  const problems: string[] = []
  if (config.socketioPort !== 0 && config.socketioPort === config.port) {
    problems.push('SOCKETIO_PORT must be another port than PORT, or 0 to switch the second listener off.')
  }
  const rings = (['secretKeys', 'secretKeysFile', 'secretKeysCommand'] as const).filter((key) => config[key] !== null)
  if (rings.length > 1)
    problems.push(`Only one of ${rings.map((key) => settings[key].name).join(' and ')} can hold the key ring.`)
  const { secretKey, publishableKey } = config.stripe
  if ((secretKey === null) !== (publishableKey === null)) {
    problems.push('STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must be given together, or neither.')
  }
  return problems
}

/**
 * Reads and checks every setting; `env` wins over `.env` in `cwd`. Registers the secret ones for `redact`.
 * Throws one `ConfigError` that names each bad setting and what is expected.
 */
export function loadConfig(env: Environment, cwd: string): Config {
  const problems: string[] = []
  const file = readDotEnv(cwd)
  const values = readAll(settings, env, file, cwd, problems)
  const raw = values as unknown as RawConfig
  if (problems.length === 0) problems.push(...checkTogether(raw))
  if (problems.length > 0) throw new ConfigError(problems)

  const url = raw.url ?? `http://localhost:${raw.port}`
  const credential = systemdCredential(raw, env)
  const config: Config = Object.freeze({
    ...raw,
    secretKeysFile: raw.secretKeysFile ?? credential,
    url,
    mailFrom: raw.mailFrom ?? `${raw.productName} <no-reply@${new URL(url).hostname}>`,
    dataDir: settings.dataDir.parse(raw.dataDir, cwd),
    cacheDir: settings.cacheDir.parse(raw.cacheDir, cwd),
  })
  registerConfigSecrets(config)
  const from = new Map(settingsOf().map(({ name }) => [name, given(name, env, file)?.source ?? 'default'] as const))
  if (credential !== null) from.set(settings.secretKeysFile.name, 'systemd')
  sources.set(config, from)
  return config
}

/** Where each setting of a configuration came from: the environment itself may be gone by the time somebody asks. */
const sources = new WeakMap<Config, ReadonlyMap<string, Source>>()

/** The key ring that systemd hands to the service (`LoadCredentialEncrypted=easydash-keys:…`), unless a setting names one. */
function systemdCredential(raw: RawConfig, env: Environment): string | null {
  const folder = env['CREDENTIALS_DIRECTORY']
  const isNamed = raw.secretKeys !== null || raw.secretKeysFile !== null || raw.secretKeysCommand !== null
  if (!folder || isNamed) return null
  const path = join(folder, 'easydash-keys')
  return existsSync(path) ? path : null
}

/**
 * The configuration of this process. Secret settings leave its environment, which children inherit; what is left of them
 * is in the configuration alone.
 */
export function loadOwnConfig(): Config {
  const config = loadConfig(process.env, process.cwd())
  for (const name of secretSettings) delete process.env[name]
  return config
}

/** Password of a URL with credentials as written and decoded. */
function passwordsOf(url: string | null): string[] {
  const written = url === null ? '' : new URL(url).password
  return [written, querystring.unescape(written)]
}

function registerConfigSecrets(config: Config): void {
  const keys = config.secretKeys?.split(',').map((entry) => entry.trim().replace(/^v\d+:/, '')) ?? []
  const { stripe, databaseUrl, smtpUrl, metricsToken } = config
  for (const value of [
    ...keys,
    stripe.secretKey,
    stripe.webhookSecret,
    metricsToken,
    ...passwordsOf(databaseUrl),
    ...passwordsOf(smtpUrl),
  ]) {
    registerSecret(value)
  }
}

/** One line of `doctor`: a setting, its value as text (secrets masked) and where it comes from. */
export interface SettingDescription {
  name: string
  value: string
  source: Source
}

function show(value: unknown, entry: Setting<unknown>): string {
  if (value === null || value === undefined) return '(none)'
  if (entry.secret) return MASK
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.join(',')
  return redact(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** Every setting for `doctor`, in the order of the operating contract. */
export function describeConfig(config: Config): SettingDescription[] {
  const describe = (tree: object, values: Record<string, unknown>): SettingDescription[] =>
    (Object.entries(tree) as [string, object][]).flatMap(([key, entry]) => {
      if (!isSetting(entry)) return describe(entry, values[key] as Record<string, unknown>)
      return [
        {
          name: entry.name,
          value: show(values[key], entry),
          source: sources.get(config)?.get(entry.name) ?? 'default',
        },
      ]
    })
  return describe(settings, config as unknown as Record<string, unknown>)
}
