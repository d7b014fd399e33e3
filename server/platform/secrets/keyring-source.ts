import { execFile } from 'node:child_process'
import * as realFs from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileWhole, type FileSystem } from '../config/data-dir.ts'
import { newRingEntry, parseKeyring, ringForm, type Keyring } from './keyring.ts'
import { readNamedKeyFile, readOwnKeyFile } from './keyring-file.ts'
import type { Log } from '../log/log.ts'
import { explainFileError, StartupError, systemErrorCode } from '../processes/startup-error.ts'

/** Where the ring comes from: at most one of the three settings, else the file `keys` in the data folder, made on first use. */
export interface KeyringSource {
  readonly dataDir: string
  /** `EASYDASH_SECRET_KEYS`: the ring itself. */
  readonly secretKeys: string | null
  /** `EASYDASH_SECRET_KEYS_FILE`, or the credential of systemd: a file that holds it. */
  readonly secretKeysFile?: string | null
  /** `EASYDASH_SECRET_KEYS_COMMAND`: a program that prints it, e.g. one that asks the system's keyring service. */
  readonly secretKeysCommand?: readonly string[] | null
  readonly fs?: FileSystem
}

/** The setting that holds the ring; null when that is the data folder's file, which Easydash keeps itself. */
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
      `Put it back from a backup, or set EASYDASH_SECRET_KEYS to its content (${ringForm}). It is never overwritten.`,
      error,
    )
  }
}

/** A keyring service may ask the person for its password. */
const commandWithinMs = 120_000

/** Runs the program without a shell. What it prints is a secret and in no message, whatever happens. */
async function fromCommand([program = '', ...args]: readonly string[]): Promise<Keyring> {
  const failed = (why: string, cause?: unknown) =>
    new StartupError(
      `The program "${program}" of EASYDASH_SECRET_KEYS_COMMAND ${why}.`,
      `Run it as the user who starts Easydash: it has to print the key ring (${ringForm}) and end with 0.`,
      cause,
    )
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { timeout: commandWithinMs, maxBuffer: 65_536, encoding: 'utf8', env: process.env },
      (error, stdout) => {
        if (error === null) resolve(stdout)
        // The error itself holds what was printed.
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
 * Loads the ring, from a setting or from `data/keys` (mode 0600), which is generated when it does not exist, unless
 * `mayCreate` is false: the database was used with keys before. A damaged file is refused and left as it is.
 */
export async function loadKeyring(source: KeyringSource, mayCreate = true, log?: Log): Promise<Keyring> {
  if (source.secretKeys !== null) return parseKeyring(source.secretKeys)
  if (source.secretKeysFile) return parseFile(await readNamedKeyFile(source.secretKeysFile), source.secretKeysFile)
  if (source.secretKeysCommand) return fromCommand(source.secretKeysCommand)
  const path = ownPath(source)
  const text = await readOwnKeyFile(path, log)
  if (text !== null) return parseFile(text, path)
  if (!mayCreate) {
    throw new StartupError(
      `The key file ${path} is missing; without it the stored secrets cannot be read.`,
      `Put it back from a backup, or set EASYDASH_SECRET_KEYS to its content (${ringForm}).`,
    )
  }
  const entry = newRingEntry(1)
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
 * Where a setting holds the ring the person edits it there instead: throws `StartupError` saying so.
 */
export async function addKey(source: KeyringSource): Promise<Keyring> {
  const setting = settingOf(source)
  if (setting !== null) {
    throw new StartupError(
      `The key ring comes from ${setting}, so Easydash cannot add a key to it.`,
      `Put a new key with the next version in front of it there (${ringForm}), restart, then run "keys rotate".`,
    )
  }
  const old = await loadKeyring(source)
  const text = (await readOwnKeyFile(ownPath(source))) ?? ''
  const ring = `${newRingEntry(old.current + 1)},${text.trim()}`
  await writeFileWhole(ownPath(source), `${ring}\n`, 0o600, source.fs)
  return parseKeyring(ring)
}

/** Drops every key but the current one from `data/keys`. Only after the others were retired (`Secrets.retire`). */
export async function dropOldKeys(source: KeyringSource): Promise<void> {
  if (settingOf(source) !== null) return
  const ring = await loadKeyring(source)
  const entries = ((await readOwnKeyFile(ownPath(source))) ?? '').trim().split(',')
  const current = entries.find((entry) => entry.trim().startsWith(`v${ring.current}:`))
  if (current && entries.length > 1) await writeFileWhole(ownPath(source), `${current.trim()}\n`, 0o600, source.fs)
}
