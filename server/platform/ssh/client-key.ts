import { createPublicKey, sign, type KeyObject } from 'node:crypto'
import type ssh2 from 'ssh2'

/** The public half of an Ed25519 key as OpenSSH writes it, without a comment (RFC 8709 section 4). */
export function publicKeyLine(publicKey: KeyObject): string {
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const parts = [Buffer.from('ssh-ed25519'), Buffer.from(x, 'base64url')].map((part) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(part.length)
    return Buffer.concat([length, part])
  })
  return `ssh-ed25519 ${Buffer.concat(parts).toString('base64')}`
}

/** Signs with a private key until that is forgotten. */
export interface KeyAgent {
  readonly agent: ssh2.BaseAgent<string>
  forget(): void
}

/**
 * An agent with one Ed25519 key. A key that is passed to ssh2 itself stays in memory as long as the connection, and it does not read
 * PKCS #8.
 */
export function createKeyAgent({ BaseAgent }: typeof ssh2, privateKey: KeyObject): KeyAgent {
  let key: KeyObject | null = privateKey
  const identity = publicKeyLine(createPublicKey(privateKey))
  class OneKeyAgent extends BaseAgent<string> {
    override getIdentities(done: (error: Error | undefined, keys: string[]) => void): void {
      done(undefined, [identity])
    }
    override sign(_identity: string, data: Buffer, options: unknown, done?: unknown): void {
      const answer = (typeof options === 'function' ? options : done) as (error?: Error, signature?: Buffer) => void
      if (key === null) answer(new Error('The key was forgotten.'))
      else answer(undefined, sign(null, data, key))
    }
  }
  return {
    agent: new OneKeyAgent(),
    forget: () => {
      key = null
    },
  }
}
