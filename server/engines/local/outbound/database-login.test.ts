import { constants, createPublicKey, publicEncrypt } from 'node:crypto'
import { once } from 'node:events'
import { duplexPair, type Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { relayLogin } from './database-login.ts'

const nonce = Buffer.from(Array.from({ length: 20 }, (_, at) => at + 1))
const packet = (sequence: number, ...parts: readonly (string | Buffer | readonly number[])[]): Buffer => {
  const payload = Buffer.concat(parts.map((part) => Buffer.from(part as Buffer)))
  return Buffer.concat([Buffer.from([payload.length & 0xff, payload.length >> 8, 0, sequence]), payload])
}
/** "Protocol::HandshakeV10" of a server whose accounts use `caching_sha2_password`. */
const handshake = packet(
  0,
  [10],
  '9.7.4\0',
  [7, 0, 0, 0],
  nonce.subarray(0, 8),
  [0],
  Buffer.alloc(18),
  nonce.subarray(8),
  [0],
  'caching_sha2_password\0',
)

/** Writes so that it arrives in pieces of `size` bytes. */
function write(to: Duplex, bytes: Buffer, size: number): void {
  for (let at = 0; at < bytes.length; at += size) to.write(bytes.subarray(at, at + size))
}

/** The next `count` bytes. */
async function read(from: Duplex, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = from.read(count) as Buffer | null
    if (bytes !== null) return bytes
    await once(from, 'readable')
  }
}

async function readPacket(from: Duplex): Promise<{ sequence: number; payload: Buffer }> {
  const head = await read(from, 4)
  return { sequence: head[3] ?? -1, payload: await read(from, head.readUIntLE(0, 3)) }
}

function relayed(mayDecrypt = true): { client: Duplex; server: Duplex; theirs: Duplex } {
  const [client, ours] = duplexPair()
  const [server, theirs] = duplexPair()
  relayLogin(ours, theirs, () => mayDecrypt)
  return { client, server, theirs }
}

test.each([1, 7, 4_096])('a server that wants the password itself gets it, in pieces of %i bytes', async (size) => {
  const { client, server } = relayed()
  write(server, handshake, size)
  expect(await readPacket(client)).toEqual({ sequence: 0, payload: handshake.subarray(4) })
  write(client, packet(1, 'who I am'), size)
  expect(await readPacket(server)).toEqual({ sequence: 1, payload: Buffer.from('who I am') })

  write(server, packet(2, [1, 4]), size)
  expect(await readPacket(client)).toEqual({ sequence: 2, payload: Buffer.from([1, 4]) })
  write(client, packet(3, [2]), size)
  const answer = await readPacket(client)
  expect([answer.sequence, answer.payload[0]]).toEqual([4, 1])
  const key = createPublicKey(answer.payload.subarray(1))
  const mixed = Buffer.from('correct horse battery staple\0').map((byte, at) => byte ^ (nonce[at % 20] ?? 0))
  write(client, packet(5, publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING }, mixed)), size)
  // As if the key had never been asked for.
  expect(await readPacket(server)).toEqual({ sequence: 3, payload: Buffer.from('correct horse battery staple\0') })

  const after = Buffer.from([255, 255, 255, 0, 9, 9])
  write(server, Buffer.concat([packet(4, [0, 0, 0]), after]), size)
  expect(await readPacket(client)).toEqual({ sequence: 6, payload: Buffer.from([0, 0, 0]) })
  expect(await read(client, after.length)).toEqual(after)
  write(client, packet(0, [2]), size)
  expect(await readPacket(server)).toEqual({ sequence: 0, payload: Buffer.from([2]) })
})

test('a login that needs no password of us passes as it is, also to another method', async () => {
  const { client, server } = relayed()
  const other = [254, ...Buffer.from('mysql_native_password\0'), ...nonce, 0]
  const passed = [
    [server, client, handshake],
    [client, server, packet(1, 'who I am')],
    [server, client, packet(2, other)],
    [client, server, packet(3, [2])],
    [server, client, packet(4, [0, 0, 0])],
    [client, server, packet(0, [3], 'SELECT 1')],
  ] as const
  for (const [from, to, bytes] of passed) {
    from.write(bytes)
    expect(await read(to, bytes.length)).toEqual(bytes)
  }
})

test('no more passwords are decrypted than may be', async () => {
  const { client, server, theirs } = relayed(false)
  server.write(handshake)
  await readPacket(client)
  client.write(packet(1, 'who I am'))
  server.write(packet(2, [1, 4]))
  await readPacket(client)
  client.write(packet(3, [2]))
  await readPacket(client)
  const closed = once(theirs, 'close')
  client.write(packet(5, 'password'))
  await closed
})

test('nonsense ends the connection', async () => {
  const { client, server, theirs } = relayed()
  server.write(handshake)
  await readPacket(client)
  const closed = once(theirs, 'close')
  client.write(Buffer.from([255, 255, 255, 1]))
  await closed
})
