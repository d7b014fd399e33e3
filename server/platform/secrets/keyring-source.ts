import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { writeFileAtomic, type FileSystem } from '../config/data-dir.ts'
import { createFile } from '../files/create-file.ts'
import { newKeyringEntry, parseKeyring, keyringFormat, type Keyring } from './keyring.ts'
import { readNamedKeyFile, readOwnKeyFile } from './keyring-file.ts'
import type { Log } from '../log/log.ts'
import { explainFileError, StartupError } from '../processes/startup-error.ts'

/**
 * Source of the key ring: at most one of the three settings, or else the file `keys` in the data folder, created on first
 * use.
 */
export interface KeyringSource {
  readonly dataDir: string
  /** `EASYDASH_SECRET_KEYS`: the ring itself. */
  readonly secretKeys: string | null
  /** `EASYDASH_SECRET_KEYS_FILE`, or the systemd credential: a file that contains it. */
  readonly secretKeysFile?: string | null
  /** `EASYDASH_SECRET_KEYS_COMMAND`: a program that prints it, e.g. one that queries the system's keyring service. */
  readonly secretKeysCommand?: readonly string[] | null
  readonly fs?: FileSystem
}

/** The setting that provides the ring; null if it is the data folder's file, which Easydash manages itself. */
export function settingOf(source: KeyringSource): string | null {
  if (source.secretKeys !== null) return 'EASYDASH_SECRET_KEYS'
  if (source.secretKeysFile) return 'EASYDASH_SECRET_KEYS_FILE'
  return source.secretKeysCommand ? 'EASYDASH_SECRET_KEYS_COMMAND' : null
}

const ownPath = (source: KeyringSource) => join(source.dataDir, 'keys')

function parseFile(text: string, path: string): Keyring {
  try {
    return parseKeyring(text)
  } catch (error) {
    throw new StartupError(
      `The key file ${path} is damaged; without it the stored secrets cannot be read.`,
      `Put it back from a backup, or set EASYDASH_SECRET_KEYS to its content (${keyringFormat}). It is never overwritten.`,
      error,
    )
  }
}

/** A keyring service may prompt the user for a password. */
const commandWithinMs = 120_000

/** Runs the program without a shell. Its output is a secret and must never appear in a message. */
async function loadFromCommand([program = '', ...args]: readonly string[]): Promise<Keyring> {
  const failed = (why: string, cause?: unknown) =>
    new StartupError(
      `The program "${program}" of EASYDASH_SECRET_KEYS_COMMAND ${why}.`,
      `Run it as the user who starts Easydash: it has to print the key ring (${keyringFormat}) and end with 0.`,
      cause,
    )
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { timeout: commandWithinMs, maxBuffer: 65_536, encoding: 'utf8', env: process.env },
      (error, stdout) => {
        if (error === null) resolve(stdout)
        // The error itself contains the output.
        else if (typeof error.code === 'number') reject(failed(`ended with code ${error.code}`))
        else reject(failed(`could not be run (${error.code ?? error.signal ?? 'unknown reason'})`))
      },
    )
    child.stdin?.end()
  })
  try {
    return parseKeyring(output)
  } catch {
    throw failed('printed something else than a key ring')
  }
}

/**
 * Loads the ring from a setting or from `data/keys` (mode 0600). That file is generated if it does not exist, unless
 * `mayCreate` is false because the database has already been used with keys. A damaged file is rejected and left unchanged.
 */
export async function loadKeyring(source: KeyringSource, mayCreate = true, log?: Log): Promise<Keyring> {
  if (source.secretKeys !== null) return parseKeyring(source.secretKeys)
  if (source.secretKeysFile) return parseFile(await readNamedKeyFile(source.secretKeysFile), source.secretKeysFile)
  if (source.secretKeysCommand) return loadFromCommand(source.secretKeysCommand)
  const path = ownPath(source)
  const text = await readOwnKeyFile(path, log)
  if (text !== null) return parseFile(text, path)
  if (!mayCreate) {
    throw new StartupError(
      `The key file ${path} is missing; without it the stored secrets cannot be read.`,
      `Put it back from a backup, or set EASYDASH_SECRET_KEYS to its content (${keyringFormat}).`,
    )
  }
  const entry = newKeyringEntry(1)
  const isNew = await createFile(path, `${entry}\n`, source.fs).catch((error: unknown) => {
    throw explainFileError(error, `The key file ${path}`, 'EASYDASH_DATA_DIR')
  })
  // Another process has created one since.
  if (!isNew) return loadKeyring(source)
  return parseKeyring(entry)
}

/**
 * Adds a new key at the front of `data/keys`, for `keys rotate`; the old ones stay until no data key is wrapped with them.
 * If a setting provides the ring, the operator edits it there instead: throws `StartupError` saying so.
 */
export async function addKey(source: KeyringSource): Promise<Keyring> {
  const setting = settingOf(source)
  if (setting !== null) {
    throw new StartupError(
      `The key ring comes from ${setting}, so Easydash cannot add a key to it.`,
      `Put a new key with the next version in front of it there (${keyringFormat}), restart, then run "keys rotate".`,
    )
  }
  const old = await loadKeyring(source)
  const text = (await readOwnKeyFile(ownPath(source))) ?? ''
  const ring = `${newKeyringEntry(old.current + 1)},${text.trim()}`
  await writeFileAtomic(ownPath(source), `${ring}\n`, 0o600, source.fs)
  return parseKeyring(ring)
}

/** Drops every key but the current one from `data/keys`. Only call this after retiring the others (`Secrets.retire`). */
export async function dropOldKeys(source: KeyringSource): Promise<void> {
  if (settingOf(source) !== null) return
  const ring = await loadKeyring(source)
  const entries = ((await readOwnKeyFile(ownPath(source))) ?? '').trim().split(',')
  const current = entries.find((entry) => entry.trim().startsWith(`v${ring.current}:`))
  if (current && entries.length > 1) await writeFileAtomic(ownPath(source), `${current.trim()}\n`, 0o600, source.fs)
}
