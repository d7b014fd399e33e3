import { createHash } from 'node:crypto'
import { AppError } from '#shared/errors.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import type { MachineOrder } from './provider.ts'

/** Throws for what could not be a label at every vendor. */
export function checkOperation(operation: string): void {
  if (!/^[a-z0-9]{1,32}$/.test(operation)) throw new Error(`Not an operation: ${operation}`)
}

/** A label of a host name (RFC 1123) that no other operation has. */
export function machineName({ name, operation }: MachineOrder): string {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const start = trimEnd(slug.slice(slug.startsWith('-') ? 1 : 0, 62 - operation.length), '-')
  return start === '' ? operation : `${start}-${operation}`
}

/** What an account stores of a public key: no comment, a name of ours, and the MD5 fingerprint it finds the key by. */
export function accountKey(publicKey: string): { name: string; line: string; fingerprint: string } {
  const key = parseSshPublicKey(publicKey)
  if ('problem' in key) throw new AppError('invalid', key.problem)
  const md5 = createHash('md5').update(Buffer.from(key.base64, 'base64')).digest('hex')
  return {
    name: `easydash-${md5.slice(0, 12)}`,
    line: `${key.kind} ${key.base64}`,
    fingerprint: (md5.match(/../g) ?? []).join(':'),
  }
}
