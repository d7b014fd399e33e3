import { gateMutants } from './mutants-gate.ts'
import { storeMutants } from './mutants-store.ts'
import { wireMutants } from './mutants-wire.ts'
import type { CodeMutant } from './mutant-types.ts'

/** All mutants of the code. */
export const codeMutants: readonly CodeMutant[] = [...storeMutants, ...gateMutants, ...wireMutants]

/** Calls that currently decide nothing; the reason holds as long as its test passes. */
export const idleCalls: readonly { readonly file: string; readonly line: string; readonly because: string }[] = [
  {
    file: 'server/documents/documents.ts',
    line: 'await checkLinks(tx.connection, session, type, tenant, wanted, typeByName)',
    because: 'no link can be changed after creation',
  },
  {
    file: 'server/documents/permissions/access.ts',
    line: 'if (changed.length > 0) await loadFor(db, session, type, name, operation, typeByName)',
    because: 'it keeps others from waiting; the same is asked again when the locks are held',
  },
]
