import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import type { CertificatePair } from '#server/engines/site-certificates.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** Certificates in a chain; the longest real ones have four. */
const maxChain = 10
const minRsaBits = 2_048

const refuse = (field: 'certificate' | 'key', problem: LocalizedMessage, nextAction: LocalizedMessage): AppError =>
  new AppError('invalid', problem, { field, nextAction })

const pasteCertificate = msg`Paste the certificate as PEM, then those of its issuers.`
const pasteKey = msg`Paste the private key as PEM, without a passphrase.`
const otherCertificate = msg`Use another certificate.`

/**
 * Checks a certificate before anything is sent: that it is one, belongs to the key and to the domain, is valid now, and that each
 * certificate after it issued the one before. Throws AppError `invalid` with the field.
 */
export function checkCertificate(given: CertificatePair, domain: string, now: number): CertificatePair {
  const chain = parseChain(given.certificate)
  const [leaf] = chain
  if (leaf === undefined) throw refuse('certificate', msg`There is no certificate.`, pasteCertificate)
  if (leaf.ca && chain.length > 1 && chain.some((one) => !one.ca))
    throw refuse('certificate', msg`The site’s own certificate must come first.`, pasteCertificate)
  const key = parseKey(given.key)
  if (!leaf.checkPrivateKey(key))
    throw refuse('key', msg`The private key does not belong to the certificate.`, msg`Paste the key it was made with.`)
  // Names only: browsers ignore the common name.
  if (leaf.checkHost(domain, { subject: 'never', partialWildcards: false }) === undefined)
    throw refuse('certificate', msg`The certificate is not for ${domain}.`, otherCertificate)
  if (leaf.validToDate.getTime() <= now)
    throw refuse('certificate', msg`The certificate has expired.`, otherCertificate)
  if (leaf.validFromDate.getTime() > now)
    throw refuse('certificate', msg`The certificate is not valid yet.`, otherCertificate)
  chain.slice(1).forEach((issuer, at) => {
    if (chain[at]?.checkIssued(issuer) !== true)
      throw refuse(
        'certificate',
        msg`Certificate ${at + 2} did not issue the one before it.`,
        msg`Put each issuer after the certificate it issued.`,
      )
  })
  return {
    certificate: chain.map((one) => one.toString().trim()).join('\n'),
    key: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
  }
}

function parseChain(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length > maxChain) throw refuse('certificate', msg`There are too many certificates.`, pasteCertificate)
  if (text.includes('PRIVATE KEY'))
    throw refuse('certificate', msg`There is a private key among the certificates.`, pasteCertificate)
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch (error) {
    throw new AppError('invalid', msg`The certificate cannot be read.`, {
      field: 'certificate',
      nextAction: pasteCertificate,
      cause: error,
    })
  }
}

/** Only kinds that every browser knows: the web server, which all sites of a server share, does not start with others. */
function parseKey(text: string): KeyObject {
  if (/ENCRYPTED/.test(text)) throw refuse('key', msg`The private key has a passphrase.`, pasteKey)
  let key: KeyObject
  try {
    key = createPrivateKey(text.trim())
  } catch {
    // Its error could quote the key.
    throw refuse('key', msg`The private key cannot be read.`, pasteKey)
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  const isKnown =
    (type === 'rsa' && (details?.modulusLength ?? 0) >= minRsaBits) ||
    (type === 'ec' && ['prime256v1', 'secp384r1'].includes(details?.namedCurve ?? ''))
  if (!isKnown)
    throw refuse('key', msg`Keys must be RSA of at least 2048 bits, or P-256 or P-384.`, msg`Use another certificate.`)
  return key
}
