import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { keyRing as ringSyntax } from '../config/setting-schemas.ts'
import { registerSecret } from '../log/redact-text.ts'
import { KEY_BYTES, openBytes, sealBytes } from './sealing.ts'

/** The installation's keys. They encrypt only data keys, never data. */
export interface Keyring {
  /** Highest version; new data keys are wrapped with it. */
  readonly current: number
  readonly versions: readonly number[]
  /** Encrypts a data key under the current version; `aad` binds it to its location. */
  wrap(aad: string, key: Buffer): { version: number; wrapped: string }
  /** Decrypts a data key. Throws if the ring has no such version. */
  unwrap(aad: string, version: number, wrapped: string): Buffer
  /** Text that proves possession of a version's key without revealing anything about it. */
  proof(version: number): string
  /** Derives a key of 32 bytes for one purpose from a version's key and a salt. Reveals nothing about the original key. */
  derive(version: number, purpose: string, salt: Buffer): Buffer
}

/** Format of a ring, for messages. */
export const keyringFormat = 'v2:BASE64,v1:BASE64 with 32 bytes in each key'

/** A new key as an entry of a ring. */
export const newKeyringEntry = (version: number): string => `v${version}:${randomBytes(KEY_BYTES).toString('base64')}`

/** Parses the syntax of `EASYDASH_SECRET_KEYS`. @throws Error that names the format and never quotes the text */
export function parseKeyring(text: string): Keyring {
  const keys = new Map<number, Buffer>()
  const parsed = ringSyntax.safeParse(text.trim())
  if (!parsed.success) throw new Error(`A key ring is ${keyringFormat}.`)
  for (const entry of parsed.data.split(',')) {
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
