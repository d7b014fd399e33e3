import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** What a certificate says. */
export interface CertificateFacts {
  readonly issuer: string
  /** Names it is for; the first is its subject, too. */
  readonly names: readonly string[]
  /** Milliseconds since 1970. */
  readonly from: number
  readonly until: number
}

/** A certificate with its key, both PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

/**
 * Makes a real X.509 certificate (RFC 5280), which Node itself cannot: a key of P-256, signed by itself under the name of an issuer that
 * nobody trusts.
 */
export function makeCertificate({ issuer, names, from, until }: CertificateFacts): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signature = sequence(identifier('2a8648ce3d040302'))
  const alternatives = der(0x04, sequence(...names.map((name) => der(0x82, Buffer.from(name)))))
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
    signature,
    commonName(issuer),
    sequence(time(from), time(until)),
    commonName(names[0] ?? ''),
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, sequence(sequence(identifier('551d11'), alternatives))),
  )
  const signed = sequence(body, signature, der(0x03, Buffer.from([0]), sign('sha256', body, privateKey)))
  return {
    certificate: pem('CERTIFICATE', signed),
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  }
}

/** A value in DER: tag, length, content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts)
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const integer = (bytes: Buffer): Buffer => der(0x02, bytes)
const commonName = (text: string): Buffer =>
  sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from(text)))))

/** UTCTime, which has two digits of the year: until 2049. */
const time = (ms: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`))

const pem = (label: string, content: Buffer): string => {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
