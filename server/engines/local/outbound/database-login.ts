import { constants, generateKeyPair, privateDecrypt, type KeyObject } from 'node:crypto'
import { Transform, type Duplex, type TransformCallback } from 'node:stream'
import { promisify } from 'node:util'

/** A packet of a login is some hundred bytes. */
const longestPacket = 16_384
/** First bytes of what a server answers (dev.mysql.com, "Connection Phase Packets"). */
const answers = { ok: 0x00, more: 0x01, otherMethod: 0xfe, error: 0xff } as const
/** `caching_sha2_password`: the server wants the password itself; the client asks for the key to encrypt it with. */
const wantsPassword = 0x04
const wantsKey = 0x02
/** CLIENT_SSL: what follows is encrypted. */
const encrypted = 0x800
const nonceLength = 20

interface Keys {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

let keys: Promise<Keys> | undefined
/** Of this process: passwords are encrypted from a site's process to this one only. */
const keyPair = (): Promise<Keys> => (keys ??= promisify(generateKeyPair)('rsa', { modulusLength: 2048 }))

interface Packet {
  readonly sequence: number
  readonly payload: Buffer
}

const written = ({ sequence, payload }: Packet): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUIntLE(payload.length, 0, 3)
  head[3] = sequence & 0xff
  return Buffer.concat([head, payload])
}

/** Splits off the first packet, if it is complete. Throws if it is too long for a login. */
function firstPacket(bytes: Buffer): { packet: Packet; rest: Buffer } | null {
  if (bytes.length < 4) return null
  const length = bytes.readUIntLE(0, 3)
  if (length > longestPacket) throw new Error('A packet of a login at the database is too long.')
  if (bytes.length < 4 + length) return null
  return {
    packet: { sequence: bytes[3] ?? 0, payload: bytes.subarray(4, 4 + length) },
    rest: bytes.subarray(4 + length),
  }
}

/** The nonce of a handshake (dev.mysql.com, "Protocol::HandshakeV10"): 8 bytes after version and connection, 12 after 19 others. */
function nonceOf(handshake: Buffer): Buffer {
  const at = handshake.indexOf(0, 1) + 5
  return Buffer.concat([handshake.subarray(at, at + 8), handshake.subarray(at + 27, at + 27 + nonceLength - 8)])
}

/**
 * Connects a site with its database at a unix socket. A client that came by TCP encrypts its password for MySQL 8 and later
 * with a key that it asks the server for; the server, which trusts its socket, has the password sent as it is and knows no such
 * question. So this side answers it, and decrypts the password. All else passes as it is.
 * @param mayDecrypt whether the site, which can repeat a wrong login as often as it likes, may have one more password decrypted
 */
export function relayLogin(client: Duplex, server: Duplex, mayDecrypt: () => boolean): void {
  let isOver = false
  let nonce: Buffer | null = null
  /** What the client says next, if the server wants the password itself. */
  let awaited: 'key' | 'password' | null = null
  /** Packets between client and us that the server does not count. */
  let own = 0

  /** Passes packets through `take` until the login is over. */
  const during = (take: (packet: Packet) => Promise<Packet | null>): Transform => {
    let held: Buffer = Buffer.alloc(0)
    const pass = async (chunk: Buffer): Promise<Buffer> => {
      const passed: Buffer[] = []
      held = Buffer.concat([held, chunk])
      for (let next = isOver ? null : firstPacket(held); next !== null; next = isOver ? null : firstPacket(held)) {
        held = next.rest
        const given = await take(next.packet)
        if (given !== null) passed.push(written(given))
      }
      if (isOver) {
        passed.push(held)
        held = Buffer.alloc(0)
      }
      return Buffer.concat(passed)
    }
    return new Transform({
      transform: (chunk: Buffer, _encoding, done: TransformCallback) => {
        if (isOver && held.length === 0) done(null, chunk)
        else pass(chunk).then((bytes) => done(null, bytes.length > 0 ? bytes : undefined), done)
      },
    })
  }

  const toClient = during(async ({ sequence, payload }) => {
    if (nonce === null) nonce = nonceOf(payload)
    else if (payload[0] === answers.ok || payload[0] === answers.error) isOver = true
    else if (payload[0] === answers.more && payload[1] === wantsPassword) awaited = 'key'
    else if (payload[0] === answers.otherMethod) {
      const data = payload.indexOf(0, 1) + 1
      nonce = payload.subarray(data, data + nonceLength)
    }
    return { sequence: sequence + own, payload }
  })

  const toServer = during(async ({ sequence, payload }) => {
    // From here on neither side reads what the other says.
    if (sequence === 1 && payload.length === 32 && (payload.readUInt32LE(0) & encrypted) !== 0) isOver = true
    if (awaited === 'key' && payload.length === 1 && payload[0] === wantsKey) {
      awaited = 'password'
      own = 2
      const key = (await keyPair()).publicKey.export({ type: 'spki', format: 'pem' })
      const answer = Buffer.concat([Buffer.from([answers.more]), Buffer.from(key)])
      toClient.push(written({ sequence: sequence + 1, payload: answer }))
      return null
    }
    const isPassword = awaited === 'password'
    awaited = null
    if (!isPassword) return { sequence: sequence - own, payload }
    if (!mayDecrypt()) throw new Error('The site logs in at its database too often.')
    const { privateKey } = await keyPair()
    const mixed = privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING }, payload)
    return {
      sequence: sequence - own,
      payload: Buffer.from(mixed.map((byte, at) => byte ^ (nonce?.[at % nonceLength] ?? 0))),
    }
  })

  const end = (): void => void server.destroy()
  toClient.on('error', end)
  toServer.on('error', end)
  client.pipe(toServer).pipe(server)
  server.pipe(toClient).pipe(client)
}
