import { createHash } from 'node:crypto'
import { controller } from '#server/contracts/controller.ts'
import { stamp } from '#server/jobs/clock.ts'
import { AppError } from '#shared/errors.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { oneLine } from '#shared/rules/texts.ts'
import { say } from '#shared/sentence.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import { SshKeyDoctype } from '#shared/doctypes/ssh-key.ts'

/** Most keys of one person. */
const mostKeys = 50

/** Behavior of SSH keys: each belongs to the person who adds it, is a real public key, and is there once. */
export const sshKeyController = controller(SshKeyDoctype, {
  async before_insert(doc, { session, tx }) {
    // Also as a row of the own settings: whose mailbox an unverified account names may be somebody else's, who would find
    // a stranger's key among the own ones later.
    if (session.kind !== 'system' && !session.verified)
      throw new AppError('forbidden', say`Verify your email address first.`, {
        field: 'ssh_key',
        excType: 'PermissionError',
      })
    // A client cannot put a key into somebody else's row, whatever parent it names.
    if (session.kind !== 'system') doc.parent = session.user
    Object.assign(doc, { parenttype: 'User Meta', parentfield: 'ssh_key' })
    // Held: of several at once each counts the ones before it.
    await tx.get(UserMetaDoctype, doc.parent, { lock: true })
    if ((await tx.count(SshKeyDoctype, [['parent', '=', doc.parent]])) >= mostKeys)
      throw new AppError('limit_reached', say`A person can have ${mostKeys} SSH keys.`, { field: 'public_key' })
    doc.added = stamp(Date.now())
  },

  async validate(doc, before, { tx }) {
    const line = doc.public_key
    if (typeof line !== 'string') return
    const key = parseSshPublicKey(line)
    if ('problem' in key) {
      throw new AppError('invalid', key.problem, { field: 'public_key', excType: 'ValidationError' })
    }
    doc.public_key = `${key.kind} ${key.base64}`
    doc.fingerprint = fingerprintOf(key.base64)
    doc.title ||= oneLine(key.comment).slice(0, 100) || key.kind
    if (before) doc.added = before.added
    const twin = await tx.find(SshKeyDoctype, [
      ['parent', '=', doc.parent],
      ['fingerprint', '=', doc.fingerprint],
      ['name', '!=', doc.name],
    ])
    if (twin)
      throw new AppError('invalid', say`You have this key already.`, {
        field: 'public_key',
        excType: 'UniqueValidationError',
      })
  },
})

/** As `ssh-keygen -l` shows it. */
function fingerprintOf(base64: string): string {
  const sum = createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64')
  return `SHA256:${trimEnd(sum, '=')}`
}
