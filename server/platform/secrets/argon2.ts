import { argon2 } from 'node:crypto'

/** Input of a hash. */
export interface HashRequest {
  password: string
  salt: Uint8Array
  /** KiB. */
  memory: number
  passes: number
  parallelism: number
  /** Bytes. */
  tagLength: number
}

/** Computes the Argon2id tag of a hash request. */
export type Derive = (request: HashRequest) => Promise<Buffer>

/** Uses the thread pool of this process. */
export const deriveInProcess: Derive = ({ password, salt, ...parameters }) =>
  new Promise((resolve, reject) => {
    const options = { message: Buffer.from(password, 'utf8'), nonce: salt, ...parameters }
    argon2('argon2id', options, (error, tag) => (error ? reject(error) : resolve(tag)))
  })
