import type { Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Tx } from '#server/contracts/transaction.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/**
 * The key that opens the backups of an organization: an identity of `age` (https://age-encryption.org/v1), so that people can open
 * them without Easydash. Made once, under the lock of the organization.
 */
export async function backupIdentity(tx: Tx, organization: string): Promise<string> {
  if (!(await tx.get(OrganizationDoctype, organization, { lock: true })))
    throw new AppError('not_found', msg`The organization no longer exists.`)
  const stored = await tx.secret(OrganizationDoctype, organization, 'backup_identity')
  if (stored !== null) return stored
  const made = await generateX25519Identity()
  await tx.update(OrganizationDoctype, organization, { backup_identity: made }, { hooks: false, activity: false })
  return made
}

/** The key of an organization's backups as a file for `age -d -i` and `easydash backup`. */
export async function recoveryKeyFile(identity: string, organization: Organization, at: string): Promise<string> {
  return [
    // A title may have any character but these.
    `# Recovery key of the backups of ${organization.title.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')} (${organization.name}), downloaded ${at} UTC.`,
    '# Anyone who has it can read every backup. Keep it where the backups are not.',
    '# Use: npm run easydash -- backup extract FILE NEW-FOLDER --key THIS-FILE, or age -d -i THIS-FILE FILE',
    `# public key: ${await identityToRecipient(identity)}`,
    identity,
    '',
  ].join('\n')
}

/** Passed on as it is asked for: `Readable.toWeb` throws where nobody can catch it when a reader stops in the middle. */
const bytesOf = (content: Readable) => ReadableStream.from<Uint8Array>(content) as globalThis.ReadableStream<Uint8Array>

/** An archive as it is stored. */
export async function encrypted(identity: string, content: Readable): Promise<Readable> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(await identityToRecipient(identity))
  return Readable.fromWeb((await encrypter.encrypt(bytesOf(content))) as never)
}

/** A stored archive as it was before. Its stream fails where it was changed; throws if it is not of this key. */
export async function decrypted(identity: string, content: Readable): Promise<Readable> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  return Readable.fromWeb((await decrypter.decrypt(bytesOf(content))) as never)
}

/** Passes content on, into a checksum. */
export async function* hashed(content: AsyncIterable<Buffer>, sum: Hash): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of content) {
    sum.update(chunk)
    yield chunk
  }
}
