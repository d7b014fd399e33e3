import { controller } from '#server/contracts/controller.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { sshFingerprint } from '#server/platform/ssh/host-key.ts'
import { AppError } from '#shared/errors.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { sanitizeSingleLine } from '#shared/rules/texts.ts'
import { msg } from '#shared/localized-message.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import { needFreshPassword } from '../passwords/fresh-password.ts'
import { SshKeyDoctype } from '#shared/doctypes/ssh-key.ts'

/** Maximum number of keys per user. */
const maxKeys = 50

/** SSH keys: each belongs to the user who adds it, must be a valid public key, and exists once per user. */
export const sshKeyController = controller(SshKeyDoctype, {
  async before_insert(doc, { session, tx }) {
    // Also applies to rows saved through User Meta: the address of an unverified account may belong to somebody else, who
    // would later find a stranger's key among their own.
    if (session.kind !== 'system' && !session.verified)
      throw new AppError('forbidden', msg`Verify your email address first.`, {
        field: 'ssh_key',
        excType: 'PermissionError',
      })
    // A key outlasts the session: the owner of a login provider must not leave theirs in somebody's account.
    if (session.loginProvider !== undefined) needFreshPassword(session)
    // Clients cannot add a key to another user's row, whatever parent they send.
    if (session.kind !== 'system') doc.parent = session.user
    Object.assign(doc, { parenttype: 'User Meta', parentfield: 'ssh_key' })
    // Locked, so that concurrent inserts count each other.
    await tx.get(UserMetaDoctype, doc.parent, { lock: true })
    if ((await tx.count(SshKeyDoctype, [['parent', '=', doc.parent]])) >= maxKeys)
      throw new AppError('limit_reached', msg`A person can have ${maxKeys} SSH keys.`, { field: 'public_key' })
    doc.added = formatTimestamp(Date.now())
  },

  async validate(doc, before, { tx }) {
    const line = doc.public_key
    if (typeof line !== 'string') return
    const key = parseSshPublicKey(line)
    if ('problem' in key) {
      throw new AppError('invalid', key.problem, { field: 'public_key', excType: 'ValidationError' })
    }
    doc.public_key = `${key.kind} ${key.base64}`
    doc.fingerprint = sshFingerprint(key.base64)
    doc.title ||= sanitizeSingleLine(key.comment).slice(0, 100) || key.kind
    if (before) doc.added = before.added
    const duplicate = await tx.find(SshKeyDoctype, [
      ['parent', '=', doc.parent],
      ['fingerprint', '=', doc.fingerprint],
      ['name', '!=', doc.name],
    ])
    if (duplicate)
      throw new AppError('invalid', msg`You have this key already.`, {
        field: 'public_key',
        excType: 'UniqueValidationError',
      })
  },
})
