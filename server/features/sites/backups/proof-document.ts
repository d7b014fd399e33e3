import { createPrivateKey } from 'node:crypto'
import { Readable } from 'node:stream'
import * as z from 'zod/mini'
import { download } from '#server/contracts/files.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { escapeHtml } from '#server/platform/mail/escape-html.ts'
import { signText } from '#server/platform/ssh/ssh-signature.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { AppError } from '#shared/errors.ts'
import { data, select } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { backupProofs } from '#shared/rules/backups.ts'
import { binary, described } from '#shared/schema.ts'
import type { SitesDeps } from '../deps.ts'
import { readBackupThumbnail } from './backup-thumbnail.ts'

/** Namespace of the signatures; see `ssh-keygen -Y verify -n`. */
export const proofNamespace = 'easydash-backup-proof'

const text = z.nullable(z.string())

/** What is signed: what the proof of a backup saw. */
const proofStatement = z.object({
  format: z.literal(proofNamespace),
  version: z.literal(1),
  installation: text,
  organization: z.string(),
  backup: z.string(),
  site: text,
  taken_at: text,
  archive: z.object({ sha256: text, bytes: z.nullable(z.number()) }),
  wordpress_version: text,
  php_version: text,
  verdict: z.enum(backupProofs),
  proved_at: z.string(),
  /** Left out: the machine of the installation. */
  proved_on: z.optional(z.literal('server of the site')),
  compared: z.array(z.object({ what: z.string(), expected: z.number(), found: z.number() })),
  defects: z.array(z.object({ defect: z.string(), evidence: z.string() })),
  /** What the site had that no backup can have; left out if there is none. */
  not_packed: z.optional(z.array(z.string())),
  /** A WebP of the homepage, in base64; left out if there is none. */
  screenshot: z.optional(z.string().check(z.regex(/^[A-Za-z0-9+/]+={0,2}$/))),
  issued_at: z.string(),
})
type ProofStatement = z.infer<typeof proofStatement>

/** A proof document: the statement as text, so that its bytes are what is signed. */
export const signedProof = z.object({ signed: z.string(), signature: z.string() })
type SignedProof = z.infer<typeof signedProof>

/** The statement of a document. Throws for anything else. */
export const statementIn = ({ signed }: SignedProof): ProofStatement => proofStatement.parse(JSON.parse(signed))

function statementOf(
  { dashboardHost }: SitesDeps,
  backup: SiteBackup,
  { issued, screenshot }: { readonly issued: string; readonly screenshot: Buffer | null },
): ProofStatement {
  const { proof, proved_at: proved } = backup
  if (proved === null)
    throw new AppError('invalid', msg`Nothing was proven of this backup yet.`, {
      nextAction: msg`Have it proven with "Test restore", then try again.`,
    })
  return {
    format: proofNamespace,
    version: 1,
    installation: dashboardHost ?? null,
    organization: backup.organization,
    backup: backup.name,
    site: backup.site_domain,
    taken_at: backup.taken_at,
    archive: { sha256: backup.sha256, bytes: backup.size },
    wordpress_version: backup.wordpress_version,
    php_version: backup.php_version,
    verdict: proof ?? 'Not Tested',
    proved_at: proved,
    ...(backup.proved_on !== null && { proved_on: 'server of the site' as const }),
    compared: [...(backup.proof_seen ?? [])],
    defects: [...(backup.proof_detail ?? [])],
    ...(backup.not_packed?.length && { not_packed: [...backup.not_packed] }),
    ...(screenshot && { screenshot: screenshot.toString('base64') }),
    issued_at: issued,
  }
}

const meanings: Readonly<Record<ProofStatement['verdict'], string>> = {
  Proven: 'A site was made of the backup in isolation, and everything listed here is as it was backed up.',
  Failed: 'A site was made of the backup in isolation as far as possible, and something is missing or different.',
  Inconclusive: 'The backup was tried out, but that says neither that it can be restored nor that it cannot.',
  'Not Tested': 'Nobody has tried the backup out.',
}

/** Lines of a statement for people; nothing that it does not say. */
export function proofLines(statement: ProofStatement): (readonly [label: string, value: string])[] {
  const { archive, compared, defects } = statement
  const lines: (readonly [string, string | null])[] = [
    ['Verdict', statement.verdict],
    ['Meaning', meanings[statement.verdict]],
    ['Site', statement.site],
    ['Backed up', at(statement.taken_at)],
    ['Proved', at(statement.proved_at)],
    [
      'Place',
      statement.proved_on === undefined
        ? null
        : 'Its files were compared on the machine of Easydash. The rest was seen on the server of the site, in containers without a network.',
    ],
    ['WordPress', statement.wordpress_version],
    ['PHP', statement.php_version],
    ['Backup', statement.backup],
    ['Archive, SHA-256', archive.sha256],
    ['Archive, bytes', archive.bytes === null ? null : String(archive.bytes)],
    ...compared.map(({ what, expected, found }) => [`Compared: ${what}`, `${found} of ${expected}`] as const),
    ...defects.map(({ defect, evidence }) => ['Found', evidence === '' ? defect : `${defect}: ${evidence}`] as const),
    ['Screenshot', statement.screenshot === undefined ? null : 'Of the homepage; it was not compared with anything.'],
    ['Not in the backup', statement.not_packed?.join(', ') ?? null],
    ['Not compared', 'Whatever is not listed here.'],
    ['Organization', statement.organization],
    ['Installation', statement.installation],
    ['Issued', at(statement.issued_at)],
  ]
  return lines.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const]))
}

const at = (timestamp: string | null): string | null => timestamp && `${timestamp.slice(0, 19)} UTC`

/** A document as a page. It has the signed text too, from which `easydash backup verify-proof` makes the page again. */
export function proofPage(document: SignedProof): string {
  const statement = statementIn(document)
  const title = escapeHtml(`Proof of the backup of ${statement.site ?? statement.backup}`)
  const rows = proofLines(statement).map(
    ([label, value]) => `<tr><th scope="row">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`,
  )
  const { screenshot } = statement
  const image =
    screenshot === undefined
      ? ''
      : `<p><img src="data:image/webp;base64,${screenshot}" width="480" height="300" alt="Screenshot of the homepage of the site that was made of the backup"></p>\n`
  const images = screenshot === undefined ? '' : ' img-src data:;'
  // No character of it can end the script.
  const content = JSON.stringify(document).replaceAll('<', String.raw`\u003c`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';${images} style-src 'unsafe-inline'">
<title>${title}</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}th{text-align:left;vertical-align:top;padding-right:1.5rem;white-space:nowrap}td{overflow-wrap:anywhere}</style>
</head><body><h1>${title}</h1>
<table>
${rows.join('\n')}
</table>
${image}<p>Check this file: <code>npm run easydash -- backup verify-proof FILE --signer 'ssh-ed25519 …'</code>, with the public key of the installation.</p>
<script type="application/json" id="proof">${content}</script>
</body></html>
`
}

/** The proof of a backup as a signed document, for who may read the backup. */
export function proofDocumentMethod(deps: SitesDeps): Method {
  return defineMethod({
    name: 'easydash.api.backups.proof_document',
    access: 'member',
    verbs: ['GET', 'POST'],
    tokens: 'sites:read',
    params: { backup: data({ reqd: true, length: 10 }), as: select(['html', 'json'], { default: 'html' }) },
    description: 'What the proof of a backup saw, as a page or as JSON, signed with the key of the installation.',
    returns: described(binary, 'The document.'),
    async run({ backup: name, as }, { session, documents }) {
      // The gate decides who can read the backup.
      await documents.get(session, 'Site Backup', name)
      const [backup, seen] = await documents.transaction(
        systemSession('job'),
        async (tx) => [await tx.get(SiteBackupDoctype, name), await readBackupThumbnail(tx, name)] as const,
      )
      if (!backup) throw new AppError('not_found', msg`The backup no longer exists.`)
      // Of an earlier proof until the one under way has taken its own.
      const screenshot = backup.thumbnail === null ? null : (seen?.content ?? null)
      const issued = formatTimestamp((deps.clock ?? systemClock).now())
      const signed = JSON.stringify(statementOf(deps, backup, { issued, screenshot }), null, 2)
      const signature = signText(createPrivateKey(await deps.installationKey()), proofNamespace, signed)
      const document = { signed, signature }
      const content = as === 'json' ? `${JSON.stringify(document, null, 2)}\n` : proofPage(document)
      return download({
        fileName: `proof-${backup.site_domain ?? name}-${(backup.taken_at ?? issued).slice(0, 10)}.${as ?? 'html'}`,
        contentType: as === 'json' ? 'application/json' : 'text/html; charset=utf-8',
        length: Buffer.byteLength(content),
        tag: null,
        open: () => Readable.from([Buffer.from(content)], { objectMode: false }),
      })
    },
  })
}
