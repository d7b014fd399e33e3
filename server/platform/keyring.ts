import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import * as realFs from 'node:fs/promises'
import { join } from 'node:path'
import { keyRing as ringSyntax } from './config-parsers.ts'
import { writeFileWhole, type FileSystem } from './data-dir.ts'
import { registerSecret } from './redact.ts'
import { KEY_BYTES, openBytes, sealBytes } from './sealing.ts'
import { explainFileError, StartupError, systemErrorCode } from './startup-error.ts'

/** The installation's keys. They encrypt only data keys, never data. */
export interface Keyring {
  /** Highest version: what new keys are wrapped with. */
  readonly current: number
  readonly versions: readonly number[]
  /** Encrypts a data key under the current version; `aad` binds it to its place. */
  wrap(aad: string, key: Buffer): { version: number; wrapped: string }
  /** Decrypts a data key. Throws when the ring has no such version. */
  unwrap(aad: string, version: number, wrapped: string): Buffer
  /** Text that proves possession of a version's key and tells nothing about it. */
  proof(version: number): string
  /** A key of 32 bytes for one purpose, from a version's key and a salt. Tells nothing about the key it comes from. */
  derive(version: number, purpose: string, salt: Buffer): Buffer
}

const syntaxHelp = 'v2:BASE64,v1:BASE64 with 32 bytes in each key'

/** Reads the syntax of `EASYDASH_SECRET_KEYS`; throws `Expected` on anything else. */
export function parseKeyring(text: string): Keyring {
  const keys = new Map<number, Buffer>()
  for (const entry of ringSyntax(text.trim(), '').split(',')) {
    const [version = '', key = ''] = entry.trim().split(':')
    keys.set(Number(version.slice(1)), Buffer.from(key, 'base64'))
    registerSecret(key)
  }
  const versions = [...keys.keys()].sort((a, b) => b - a)
  const current = versions[0] ?? 0
  const keyOf = (version: number): Buffer => {
    const key = keys.get(version)
    if (!key) throw new Error(`The key ring has no key v${version}.`)
    return key
  }
  return {
    current,
    versions,
    wrap: (aad, key) => ({ version: current, wrapped: sealBytes(keyOf(current), aad, key) }),
    unwrap: (aad, version, wrapped) => openBytes(keyOf(version), aad, wrapped),
    proof: (version) => createHmac('sha256', keyOf(version)).update('easydash key check').digest('base64url'),
    derive: (version, purpose, salt) => Buffer.from(hkdfSync('sha256', keyOf(version), salt, purpose, KEY_BYTES)),
  }
}

/** Where the ring comes from. */
export interface KeyringSource {
  /** `EASYDASH_SECRET_KEYS`; null: the file `keys` in the data folder, made on first use. */
  secretKeys: string | null
  dataDir: string
  fs?: FileSystem
}

const filePath = (dataDir: string) => join(dataDir, 'keys')
const newEntry = (version: number) => `v${version}:${randomBytes(KEY_BYTES).toString('base64')}`

async function readFileRing(source: KeyringSource): Promise<string | null> {
  const path = filePath(source.dataDir)
  try {
    return await (source.fs ?? realFs).readFile(path, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw new StartupError(
      `The key file ${path} cannot be read (${systemErrorCode(error)}).`,
      'Make it readable for the user who starts Easydash (mode 0600).',
      error,
    )
  }
}

function parseFile(text: string, path: string): Keyring {
  try {
    return parseKeyring(text)
  } catch (error) {
    throw new StartupError(
      `The key file ${path} is damaged; without it the stored secrets cannot be read.`,
      `Put it back from a backup, or set EASYDASH_SECRET_KEYS to its content (${syntaxHelp}). It is never overwritten.`,
      error,
    )
  }
}

/**
 * Loads the ring from the setting or from `data/keys` (mode 0600), which is generated when it does not exist, unless
 * `mayCreate` is false: the database was used with keys before. A damaged file is refused and left as it is.
 */
export async function loadKeyring(source: KeyringSource, mayCreate = true): Promise<Keyring> {
  if (source.secretKeys !== null) return parseKeyring(source.secretKeys)
  const path = filePath(source.dataDir)
  const text = await readFileRing(source)
  if (text !== null) return parseFile(text, path)
  if (!mayCreate) {
    throw new StartupError(
      `The key file ${path} is missing; without it the stored secrets cannot be read.`,
      `Put it back from a backup, or set EASYDASH_SECRET_KEYS to its content (${syntaxHelp}).`,
    )
  }
  const entry = newEntry(1)
  const fs = source.fs ?? realFs
  try {
    // Never over an existing file: another process may have made one since.
    await fs.writeFile(path, `${entry}\n`, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return loadKeyring(source)
    await fs.rm(path, { force: true })
    throw explainFileError(error, `The key file ${path}`, 'EASYDASH_DATA_DIR')
  }
  return parseKeyring(entry)
}

/**
 * Adds a new key in front of `data/keys`, for `keys rotate`; the old ones stay until nothing is wrapped with them.
 * With `EASYDASH_SECRET_KEYS` the person edits the setting instead: throws `StartupError` saying so.
 */
export async function addKey(source: KeyringSource): Promise<Keyring> {
  if (source.secretKeys !== null) {
    throw new StartupError(
      'The key ring comes from EASYDASH_SECRET_KEYS, so Easydash cannot add a key to it.',
      `Put a new key with the next version in front of the setting (${syntaxHelp}), restart, then run "keys rotate".`,
    )
  }
  const old = await loadKeyring(source)
  const text = (await readFileRing(source)) ?? ''
  const ring = `${newEntry(old.current + 1)},${text.trim()}`
  await writeFileWhole(filePath(source.dataDir), `${ring}\n`, 0o600, source.fs)
  return parseKeyring(ring)
}

/** Drops every key but the current one from `data/keys`. Only after the others were retired (`Secrets.retire`). */
export async function dropOldKeys(source: KeyringSource): Promise<void> {
  if (source.secretKeys !== null) return
  const ring = await loadKeyring(source)
  const entries = ((await readFileRing(source)) ?? '').trim().split(',')
  const current = entries.find((entry) => entry.trim().startsWith(`v${ring.current}:`))
  if (current && entries.length > 1)
    await writeFileWhole(filePath(source.dataDir), `${current.trim()}\n`, 0o600, source.fs)
}
