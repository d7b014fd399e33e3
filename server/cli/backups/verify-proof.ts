import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  proofLines,
  proofNamespace,
  proofPage,
  signedProof,
  statementIn,
} from '#server/features/sites/backups/proof-document.ts'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { signerOf } from '#server/platform/ssh/ssh-signature.ts'
import { parseJson } from '#shared/parse-json.ts'

/** Usage of the command. */
export const verifyProofUsage = "backup verify-proof FILE --signer 'ssh-ed25519 KEY'"

/** More is no proof document. */
const maxBytes = 4 * 1_048_576

/**
 * `backup verify-proof`: prints what a proof document says, if a key signed it and nothing in the file says something else. Resolves to
 * whether the key is the named one. Throws `StartupError` for anything that is not signed.
 */
export async function verifyProof(args: string[], print: (line: string) => void): Promise<boolean> {
  const wrong = (message: string) => new StartupError(message, `Usage: npm run easydash -- ${verifyProofUsage}`)
  const { positionals, values } = (() => {
    try {
      return parseArgs({ args, allowPositionals: true, options: { signer: { type: 'string' } } })
    } catch (error) {
      throw wrong(error instanceof Error ? error.message : String(error))
    }
  })()
  const [given] = positionals
  if (given === undefined || positionals.length > 1) throw wrong('One proof document must be named.')
  const content = await textIn(resolve(process.env['INIT_CWD'] ?? process.cwd(), given))
  const forged = (message: string) => new StartupError(message, 'Do not rely on this file. Download the proof again.')
  const embedded = /<script type="application\/json" id="proof">([^<]+)<\/script>/.exec(content)?.[1]
  const document = signedProof.safeParse(parseJson(embedded ?? content))
  if (!document.success) throw forged('This is not a proof document of Easydash.')
  const signer = signerOf(document.data.signature, proofNamespace, document.data.signed)
  if (signer === null) throw forged('The signature is wrong: the document was changed.')
  const statement = (() => {
    try {
      return statementIn(document.data)
    } catch {
      throw new StartupError('The document is of another version of Easydash.', 'Update Easydash, then try again.')
    }
  })()
  if (embedded !== undefined && content !== proofPage(document.data))
    throw forged('The page does not say what was signed, or was made by another version of Easydash.')
  for (const [label, value] of proofLines(statement)) print(`${label}: ${value}`)
  print(`Signed by: ${signer}`)
  const known = values.signer?.trim().split(/\s+/).slice(0, 2).join(' ')
  if (known === undefined) {
    print('Compare this key with the public key in the settings of the installation, or name that with --signer.')
    return false
  }
  if (known !== signer) throw forged('Another key signed it: it is not of this installation.')
  print('The document is genuine.')
  return true
}

async function textIn(path: string): Promise<string> {
  try {
    if ((await stat(path)).size > maxBytes)
      throw new StartupError(`${path} is too large to be a proof document.`, 'Name the file that was downloaded.')
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(
      `${path} cannot be read (${systemErrorCode(error)}).`,
      'Name the file that was downloaded.',
      error,
    )
  }
}
